-- Extends one shared or permit grant. Does not revive an expired grant and does not shorten one that already lasts
-- longer.
UPDATE interlock_holder SET lease_end = ${now} + ?, record_end = GREATEST(record_end, ${now} + ?)
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND lease_end > ${now} AND lease_end <= ${now} + ?
