-- Removes waiters whose heartbeats have stopped.
DELETE FROM interlock_waiter WHERE namespace = ? AND name = ? AND heartbeat_at < ${now} - heartbeat_within
