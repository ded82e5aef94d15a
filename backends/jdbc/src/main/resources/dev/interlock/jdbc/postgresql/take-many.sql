-- Takes those of several locks, each for its own owner, that are free and that nobody waits for or has locked at this moment.
WITH free AS (
  SELECT name FROM interlock_lock
  WHERE namespace = ? AND name = ANY (?) AND crowded = 0 AND (owner IS NULL OR record_end <= ${now}) AND number < 9007199254740991
  ORDER BY name FOR UPDATE SKIP LOCKED
), wanted AS (
  SELECT * FROM unnest(?, ?, ?, ?, ?) AS w (name, owner, label, lease, token_floor)
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, wanted.token_floor, ${now}) + 1, owner = wanted.owner, label = wanted.label,
  since = ${now}, lease_end = ${now} + wanted.lease, record_end = ${now} + wanted.lease
FROM free, wanted
WHERE l.namespace = ? AND l.name = free.name AND wanted.name = free.name
RETURNING l.name, l.number
