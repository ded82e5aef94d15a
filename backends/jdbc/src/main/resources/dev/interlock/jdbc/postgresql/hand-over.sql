-- Ends an exclusive grant and gives the lock to the first waiter, if that one is alive and wants it exclusively; tells it with the commit.
-- The lock's row is locked before a waiter's row is touched, as everywhere, and the time is asked for after that: the waiter may have been heard of
-- while this waited. Who has left since the statement began is not there to be removed, and a waiter that came since then may be unseen, in which case
-- there is either an earlier one or nobody: nothing is given then. If the first was also the last who came, nobody waits any more: who came since then has
-- counted up the arrivals of the locked row.
WITH gone AS (
  DELETE FROM interlock_waiter
  WHERE ctid = (
    SELECT w.ctid FROM interlock_lock AS l JOIN interlock_waiter AS w ON w.namespace = l.namespace AND w.name = l.name
    WHERE l.namespace = ? AND l.name = ? AND l.owner = ? AND l.number = ? AND l.number < 9007199254740991 AND l.crowded = 1 AND l.lease_end > ${now}
    ORDER BY w.place LIMIT 1 FOR UPDATE OF l
  ) AND mode = 'E' AND heard_at + heard_within >= ${now}
  RETURNING owner, label, heard_within, token_floor, listener, place, ${now} AS since
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, gone.token_floor, gone.since) + 1, owner = gone.owner, label = gone.label,
  since = gone.since, lease_end = gone.since + gone.heard_within, record_end = 0,
  crowded = CASE WHEN gone.place = l.arrivals THEN 0 ELSE 1 END
FROM gone
WHERE l.namespace = ? AND l.name = ?
RETURNING CASE WHEN gone.listener <> '' THEN pg_notify(gone.listener, concat_ws(E'\t', l.number, gone.heard_within, gone.owner, l.name)) END
