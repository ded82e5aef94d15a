UPDATE interlock_lock
SET number = ?, owner = ?, label = ?, since = ?, lease_end = ?, record_end = ?, crowded = ?, arrivals = ?, forced = ?, forced_until = ?
WHERE namespace = ? AND name = ?
