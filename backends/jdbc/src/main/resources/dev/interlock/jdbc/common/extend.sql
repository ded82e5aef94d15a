-- Extends a single exclusive grant; never revives one, and leaves alone one that lasts longer already.
UPDATE interlock_lock SET since = CASE WHEN since < 0 THEN lease_end + since ELSE since END, lease_end = ${now} + ?, record_end = GREATEST(record_end, ${now} + ?)
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND lease_end > ${now} AND lease_end <= ${now} + ?
