INSERT INTO interlock_holder (namespace, name, owner, number, mode, permits, label, granted_at, lease_end, record_end)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
