INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within, heard_at, token_floor, listener, label)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${now}, ?, ?, ?)
