-- Ends an exclusive grant and gives the lock to the first waiter that is alive, if that one wants it exclusively; tells it with the commit.
-- The lock's row is locked before the queue is read, so nobody else grants. A waiter that came after this statement began may be unseen:
-- then there is either an earlier one, or nobody, and nothing is done. The lock stays marked as crowded for the same reason.
WITH mine AS (
  SELECT namespace, name FROM interlock_lock
  WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND crowded = 1 AND lease_end > ${now} FOR UPDATE
), first AS (
  SELECT place, owner, mode, label, heard_within, token_floor, listener FROM interlock_waiter
  WHERE namespace = (SELECT namespace FROM mine) AND name = (SELECT name FROM mine) AND heard_at >= ${now} - heard_within
  ORDER BY place LIMIT 1 FOR UPDATE
), given AS (
  UPDATE interlock_lock AS l
  SET number = GREATEST(l.number, first.token_floor, ${now}) + 1, owner = first.owner, label = first.label,
    since = ${now}, lease_end = ${now} + first.heard_within, record_end = ${now} + first.heard_within
  FROM mine, first
  WHERE l.namespace = mine.namespace AND l.name = mine.name AND first.mode = 'E' AND l.number < 9007199254740991
  RETURNING l.namespace, l.name, l.number, first.place, first.owner, first.heard_within, first.listener
), gone AS (
  DELETE FROM interlock_waiter AS w USING given
  WHERE w.namespace = given.namespace AND w.name = given.name AND (w.place = given.place OR w.heard_at < ${now} - w.heard_within)
)
SELECT CASE WHEN listener <> '' THEN pg_notify(listener, number || E'\t' || heard_within || E'\t' || owner || E'\t' || name) END FROM given
