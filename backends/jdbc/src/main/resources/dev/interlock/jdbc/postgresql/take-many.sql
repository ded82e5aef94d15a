-- Takes those of several locks, each for its own owner, that are free and that nobody waits for or has locked at this moment. Arrays as in give-all.
WITH free AS (
  SELECT l.name, w.owner, w.label, w.lease, w.token_floor
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[]), CAST((SELECT ?) AS bigint[]))
    AS w (name, owner, label, lease, token_floor)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = w.name
  WHERE l.crowded = 0 AND (l.owner IS NULL OR l.record_end <= ${now}) AND l.number < 9007199254740991
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, free.token_floor, ${now}) + 1, owner = free.owner, label = free.label,
  since = ${now}, lease_end = ${now} + free.lease, record_end = ${now} + free.lease
FROM free
WHERE l.namespace = ? AND l.name = free.name
RETURNING l.name, l.number
