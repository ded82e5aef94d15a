-- The heartbeat of one who waits. Touches nothing that others write.
UPDATE interlock_waiter SET heard_at = ${now} WHERE namespace = ? AND name = ? AND owner = ?
