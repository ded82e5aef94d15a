-- Ends those of several exclusive grants whose locks have no waiters and whose rows no other transaction has locked.
-- Rows are locked in the order of their names, as everywhere. Arrays go through a SELECT so that the server does not
-- know their length: it would plan short ones anew each time.
WITH free AS (
  SELECT l.name
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[]))
    AS g (name, owner, number)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = g.name AND l.owner = g.owner AND l.number = g.number
  WHERE l.queued = FALSE AND l.lease_end > ${now}
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l SET owner = NULL
FROM free
WHERE l.namespace = ? AND l.name = free.name
RETURNING l.name, l.number
