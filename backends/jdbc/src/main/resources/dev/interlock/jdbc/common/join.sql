INSERT INTO interlock_holder (namespace, name, owner, number, mode, permits, label, since, lease_end, record_end)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
