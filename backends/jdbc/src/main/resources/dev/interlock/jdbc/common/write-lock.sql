UPDATE interlock_lock
SET number = ?, owner = ?, label = ?, granted_at = ?, lease_end = ?, record_end = ?, queued = ?, last_place = ?,
  forced_number = ?, forced_until = ?
WHERE namespace = ? AND name = ?
