-- Ends an exclusive grant and gives the lock to the first waiter that is alive, if that one wants it exclusively; tells it with the commit.
-- The lock's row is locked before a waiter's row is touched, as everywhere. Who has left since the statement began is not there to be removed,
-- and a waiter that came since then may be unseen, in which case there is either an earlier one or nobody: nothing is given then. The lock stays
-- marked as crowded for the same reason.
WITH mine AS (
  SELECT namespace, name FROM interlock_lock
  WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND number < 9007199254740991 AND crowded = 1 AND lease_end > ${now} FOR UPDATE
), gone AS (
  DELETE FROM interlock_waiter AS w USING (
    SELECT q.namespace, q.name, q.place, q.mode FROM mine, interlock_waiter AS q
    WHERE q.namespace = mine.namespace AND q.name = mine.name AND q.heard_at >= ${now} - q.heard_within
    ORDER BY q.place LIMIT 1
  ) AS first
  WHERE first.mode = 'E' AND w.namespace = first.namespace AND w.name = first.name AND w.place <= first.place
    AND (w.place = first.place OR w.heard_at < ${now} - w.heard_within)
  RETURNING w.namespace, w.name, w.owner, w.label, w.heard_within, w.token_floor, w.listener, w.place = first.place AS next
), given AS (
  UPDATE interlock_lock AS l
  SET number = GREATEST(l.number, gone.token_floor, ${now}) + 1, owner = gone.owner, label = gone.label,
    since = ${now}, lease_end = ${now} + gone.heard_within, record_end = ${now} + gone.heard_within
  FROM gone
  WHERE gone.next AND l.namespace = gone.namespace AND l.name = gone.name
  RETURNING l.name, l.number, gone.owner, gone.heard_within, gone.listener
)
SELECT CASE WHEN listener <> '' THEN pg_notify(listener, number || E'\t' || heard_within || E'\t' || owner || E'\t' || name) END FROM given
