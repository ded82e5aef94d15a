-- The heartbeat of those who wait alone. Waits for nobody: a row that somebody has locked is left out. One statement for all of them: of a batch that
-- arrives only in part, because its sender stands still or the network is cut, the server would keep the rows, which are those of others' locks.
-- In the order of their names, as everybody locks rows. Arrays as in give-all.
WITH free AS (
  SELECT l.name, w.owner
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[])) AS w (name, owner)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = w.name AND l.crowded = 2 AND l.heir[1] = w.owner
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l SET heir_times[2] = ${now}
FROM free
WHERE l.namespace = ? AND l.name = free.name AND l.crowded = 2 AND l.heir[1] = free.owner
RETURNING l.name, l.heir[1]
