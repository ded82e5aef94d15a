INSERT INTO interlock_waiter
  (namespace, name, place, owner, mode, permits, capacity, heartbeat_within, heartbeat_at, token_floor, channel, label)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${now}, ?, ?, ?)
