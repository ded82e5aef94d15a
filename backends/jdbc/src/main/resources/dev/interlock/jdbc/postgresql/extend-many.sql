-- Extends those of several exclusive grants whose rows no other transaction has locked. Does not revive an expired
-- grant and does not shorten one that already lasts longer. Rows are locked in the order of their names, as everywhere.
-- Arrays as in release-all.sql.
WITH free AS (
  SELECT l.name, g.lease, g.record
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[]),
    CAST((SELECT ?) AS bigint[]), CAST((SELECT ?) AS bigint[])) AS g (name, owner, number, lease, record)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = g.name AND l.owner = g.owner AND l.number = g.number
  WHERE l.lease_end > ${now} AND l.lease_end <= ${now} + g.lease
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l
SET lease_end = ${now} + free.lease, record_end = GREATEST(l.record_end, ${now} + free.record)
FROM free
WHERE l.namespace = ? AND l.name = free.name AND l.lease_end > ${now}
RETURNING l.name, l.number
