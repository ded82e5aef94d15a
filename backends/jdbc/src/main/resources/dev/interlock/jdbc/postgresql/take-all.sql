-- Takes several locks if all of them are free and none has waiters. Locks their rows in the order of their names first.
-- Only the locked rows say whether a lock is free: the UPDATE sees rows as they were when the statement began.
-- Arrays as in release-all.sql.
WITH locked AS (
  SELECT name, queued = FALSE AND (owner IS NULL OR GREATEST(lease_end, record_end) <= ${now})
    AND number < 9007199254740991 AS free
  FROM interlock_lock WHERE namespace = ? AND name = ANY (CAST((SELECT ?) AS text[])) ORDER BY name FOR UPDATE
), wanted AS (
  SELECT * FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[])) AS w (name, lease)
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, ?, ${now}) + 1, owner = ?, label = ?, granted_at = ${now},
  lease_end = ${now} + wanted.lease, record_end = 0
FROM wanted
WHERE (SELECT COUNT(*) FILTER (WHERE free) FROM locked) = ? AND l.namespace = ? AND l.name = wanted.name
RETURNING l.name, l.number
