SELECT name, owner, number, mode, permits, label, granted_at, lease_end, record_end
FROM interlock_holder WHERE namespace = ? AND name IN (${names}) ORDER BY name, number
