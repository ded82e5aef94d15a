-- Ends an exclusive grant and gives the lock to the one who waits for it alone, if that one is alive; tells it with the commit.
-- If this waits for the row, the time may be that of before. The heir's right is counted from when it was last heard of, which changes the row: then the
-- time is asked for anew. So nobody may be told that it was heard of without changing the row (hear-heirs).
UPDATE interlock_lock
SET number = GREATEST(number, heir_times[3], ${now}) + 1, owner = heir[1], label = heir[3],
  since = -heir_times[1], lease_end = ${now} + heir_times[1], record_end = 0, crowded = 0
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND number < 9007199254740991 AND crowded = 2 AND lease_end > ${now}
  AND heir_times[2] + heir_times[1] >= ${now} AND heir[3] IS NOT NULL
RETURNING CASE WHEN heir[2] <> '' THEN pg_notify(heir[2], concat_ws(E'\t', number, heir_times[1], owner, name)) END
