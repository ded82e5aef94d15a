-- Ends those of several grants whose locks nobody waits for. Locks their rows in the order of their names first.
WITH locked AS (
  SELECT name FROM interlock_lock WHERE namespace = ? AND name = ANY (?) ORDER BY name FOR UPDATE
), mine AS (
  SELECT * FROM unnest(?, ?, ?) AS m (name, owner, number)
)
UPDATE interlock_lock AS l SET owner = NULL
FROM mine
WHERE (SELECT COUNT(*) FROM locked) > 0 AND l.namespace = ? AND l.name = mine.name AND l.owner = mine.owner AND l.number = mine.number
  AND l.crowded = 0 AND l.lease_end > ${now}
RETURNING l.name
