-- Extends a grant that is held together with others; never revives one, and leaves alone one that lasts longer already.
UPDATE interlock_holder SET lease_end = ${now} + ?, record_end = GREATEST(record_end, ${now} + ?)
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND lease_end > ${now} AND lease_end <= ${now} + ?
