-- Ends an exclusive grant and grants the lock to the first waiter, if that waiter is alive and wants the lock
-- exclusively. The notification is sent with the commit.
-- The lock's row is locked before a waiter's row, as everywhere. The clock is read after that, because the waiter may
-- have sent a heartbeat in between. A waiter that left since the statement began is not there to be removed. A waiter
-- that came since then may be unseen; then there is an earlier one, or none, and the statement changes nothing. If the
-- first waiter has the last place, the queue is empty now: a later waiter would have raised last_place of the row.
WITH first AS (
  DELETE FROM interlock_waiter
  WHERE ctid = (
    SELECT w.ctid
    FROM interlock_lock AS l JOIN interlock_waiter AS w ON w.namespace = l.namespace AND w.name = l.name
    WHERE l.namespace = ? AND l.name = ? AND l.owner = ? AND l.number = ? AND l.number < 9007199254740991
      AND l.queued = TRUE AND l.lease_end > ${now}
    ORDER BY w.place LIMIT 1 FOR UPDATE OF l
  ) AND mode = 'E' AND heartbeat_at + heartbeat_within >= ${now}
  RETURNING owner, label, heartbeat_within, token_floor, channel, place, ${now} AS micros
)
UPDATE interlock_lock AS l
SET number = GREATEST(l.number, first.token_floor, first.micros) + 1, owner = first.owner, label = first.label,
  granted_at = first.micros, lease_end = first.micros + first.heartbeat_within, record_end = 0,
  queued = first.place <> l.last_place
FROM first
WHERE l.namespace = ? AND l.name = ?
RETURNING CASE WHEN first.channel <> ''
  THEN pg_notify(first.channel, concat_ws(E'\t', l.number, first.heartbeat_within, first.owner, l.name)) END
