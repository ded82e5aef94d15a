-- Ends those of several grants whose locks nobody waits for or has locked at this moment.
WITH locked AS (
  SELECT name FROM interlock_lock WHERE namespace = ? AND name = ANY (?) ORDER BY name FOR UPDATE SKIP LOCKED
), mine AS (
  SELECT * FROM unnest(?, ?, ?) AS m (name, owner, number)
)
UPDATE interlock_lock AS l SET owner = NULL
FROM locked, mine
WHERE l.namespace = ? AND l.name = locked.name AND mine.name = locked.name AND l.owner = mine.owner AND l.number = mine.number
  AND l.crowded = 0 AND l.lease_end > ${now}
RETURNING l.name, l.number
