-- Records the heartbeat of one waiter. Changes only the waiter's own row.
UPDATE interlock_waiter SET heartbeat_at = ${now} WHERE namespace = ? AND name = ? AND owner = ?
