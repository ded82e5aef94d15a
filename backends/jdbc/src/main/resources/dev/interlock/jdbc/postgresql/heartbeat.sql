-- Records the heartbeats of several waiters and returns those that still have a place. One statement, not a batch: if
-- only a part of a batch arrives, because its sender stops or the network is cut, the server keeps the rows of that
-- part locked. Rows are locked in the order of their names, as everywhere. Arrays as in release-all.sql.
WITH present AS (
  SELECT w.name, w.owner
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[])) AS p (name, owner)
  JOIN interlock_waiter AS w ON w.namespace = ? AND w.name = p.name AND w.owner = p.owner
  ORDER BY w.name FOR UPDATE OF w
)
UPDATE interlock_waiter AS w SET heartbeat_at = ${now}
FROM present
WHERE w.namespace = ? AND w.name = present.name AND w.owner = present.owner
RETURNING w.name, w.owner
