-- Extends those of several exclusive grants whose rows nobody else has locked at this moment; never revives one, and leaves alone one that
-- lasts longer already. In the order of their names, as everybody locks rows.
WITH free AS (
  SELECT name FROM interlock_lock WHERE namespace = ? AND name = ANY (?) ORDER BY name FOR UPDATE SKIP LOCKED
), wanted AS (
  SELECT * FROM unnest(?, ?, ?, ?, ?) AS w (name, owner, number, lease, record)
)
UPDATE interlock_lock AS l
SET lease_end = ${now} + wanted.lease, record_end = GREATEST(l.record_end, ${now} + wanted.record)
FROM free, wanted
WHERE l.namespace = ? AND l.name = free.name AND wanted.name = free.name AND l.owner = wanted.owner AND l.number = wanted.number
  AND l.lease_end > ${now} AND l.lease_end <= ${now} + wanted.lease
RETURNING l.name, l.number
