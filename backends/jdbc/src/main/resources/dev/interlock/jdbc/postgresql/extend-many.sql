-- Extends those of several exclusive grants whose rows nobody else has locked at this moment; never revives one, and leaves alone one that
-- lasts longer already. In the order of their names, as everybody locks rows. Arrays as in give-all.
WITH free AS (
  SELECT l.name, w.lease, w.record
  FROM unnest(CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS text[]), CAST((SELECT ?) AS bigint[]), CAST((SELECT ?) AS bigint[]), CAST((SELECT ?) AS bigint[]))
    AS w (name, owner, number, lease, record)
  JOIN interlock_lock AS l ON l.namespace = ? AND l.name = w.name AND l.owner = w.owner AND l.number = w.number
  WHERE l.lease_end > ${now} AND l.lease_end <= ${now} + w.lease
  ORDER BY l.name FOR UPDATE OF l SKIP LOCKED
)
UPDATE interlock_lock AS l
SET since = CASE WHEN l.since < 0 THEN l.lease_end + l.since ELSE l.since END, lease_end = ${now} + free.lease, record_end = GREATEST(l.record_end, ${now} + free.record)
FROM free
WHERE l.namespace = ? AND l.name = free.name AND l.lease_end > ${now}
RETURNING l.name, l.number
