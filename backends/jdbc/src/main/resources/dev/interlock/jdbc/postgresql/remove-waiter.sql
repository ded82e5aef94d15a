-- Removes a waiter and returns the time until which its last heartbeat holds its place. A heartbeat changes only this
-- row.
DELETE FROM interlock_waiter WHERE namespace = ? AND name = ? AND owner = ? RETURNING heartbeat_at + heartbeat_within
