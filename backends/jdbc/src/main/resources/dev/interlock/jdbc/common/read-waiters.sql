-- The first waiters of the queue.
SELECT owner, mode, permits, capacity, heartbeat_within, heartbeat_at, token_floor, channel, label
FROM interlock_waiter WHERE namespace = ? AND name = ? ORDER BY place LIMIT ?
