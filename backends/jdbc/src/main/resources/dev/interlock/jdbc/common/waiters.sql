-- The first of those who wait.
SELECT place, owner, mode, permits, capacity, heard_within, heard_at, token_floor, listener, label
FROM interlock_waiter WHERE namespace = ? AND name = ? ORDER BY place LIMIT ?
