-- Takes several locks if all of them are free and nobody waits for any, in one step. Locks their rows in the order of their names first.
-- Whether they are free is asked of the locked rows only: the update sees them as they were when the statement began, until it writes. Arrays as in give-all.
WITH locked AS (
  SELECT name, crowded = 0 AND (owner IS NULL OR GREATEST(lease_end, record_end) <= ${now}) AND number < 9007199254740991 AS free
  FROM interlock_lock WHERE namespace = ? AND name = ANY (CAST((SELECT ?) AS text[])) ORDER BY name FOR UPDATE
), wanted AS (
  SELECT * FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[])) AS w (name, lease)
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, ?, ${now}) + 1, owner = ?, label = ?, since = -wanted.lease, lease_end = ${now} + wanted.lease, record_end = 0
FROM wanted
WHERE (SELECT COUNT(*) FILTER (WHERE free) FROM locked) = ? AND l.namespace = ? AND l.name = wanted.name
RETURNING l.name, l.number
