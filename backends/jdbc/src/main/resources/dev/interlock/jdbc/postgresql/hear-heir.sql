-- The heartbeat of one who waits alone. Waits for nobody: a row that somebody has locked is left out.
UPDATE interlock_lock SET heir_times[2] = ${now}
WHERE ctid = (SELECT ctid FROM interlock_lock WHERE namespace = ? AND name = ? AND crowded = 2 AND heir[1] = ? FOR UPDATE SKIP LOCKED)
