-- Extends a single exclusive grant; never revives one, and leaves alone one that lasts longer already.
UPDATE interlock_lock SET lease_end = ${now} + ?, record_end = GREATEST(record_end, ${now} + ?)
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND lease_end > ${now} AND lease_end <= ${now} + ?
