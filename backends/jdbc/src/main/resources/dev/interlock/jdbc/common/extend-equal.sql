-- Extends several exclusive grants by the same lease. Does not revive an expired grant and does not shorten one that
-- already lasts longer.
UPDATE interlock_lock SET lease_end = ${now} + ?, record_end = GREATEST(record_end, ${now} + ?)
WHERE lease_end > ${now} AND lease_end <= ${now} + ? AND namespace = ? AND name IN (${names})
  AND (name, owner, number) IN (${grants})
