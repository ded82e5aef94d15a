-- Ends those of several grants whose locks nobody waits for or has locked at this moment, in the order of their names, as everybody locks rows.
-- Arrays go through a SELECT, so that the server does not know how long they are: it would plan short ones anew each time.
WITH free AS (
  SELECT l.name
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[])) AS m (name, owner, number)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = m.name AND l.owner = m.owner AND l.number = m.number
  WHERE l.crowded = 0 AND l.lease_end > ${now}
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l SET owner = NULL
FROM free
WHERE l.namespace = ? AND l.name = free.name
RETURNING l.name, l.number
