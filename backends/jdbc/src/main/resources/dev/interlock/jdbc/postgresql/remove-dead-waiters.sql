-- Removes waiters whose heartbeats have stopped. Skips rows that another transaction has locked: a process that stopped
-- in the middle of a heartbeat must not block the lock for the others.
DELETE FROM interlock_waiter
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM interlock_waiter
  WHERE namespace = ? AND name = ? AND heartbeat_at < ${now} - heartbeat_within
  FOR UPDATE SKIP LOCKED))
