-- Queues an exclusive request behind another exclusive holder. If the request has a place already, records a heartbeat.
-- Returns the holder; no row if the lock has no exclusive holder whose lease or lock-delay is running.
WITH busy AS (
  UPDATE interlock_lock SET queued = TRUE, last_place = last_place + 1
  WHERE namespace = ? AND name = ? AND owner IS NOT NULL AND owner <> ? AND GREATEST(lease_end, record_end) > ${now}
  RETURNING namespace, name, last_place, owner, number, granted_at, label, lease_end, record_end, ${now} AS micros
), placed AS (
  INSERT INTO interlock_waiter
    (namespace, name, place, owner, mode, permits, capacity, heartbeat_within, heartbeat_at, token_floor, channel,
    label)
  SELECT namespace, name, last_place, ?, 'E', ?, ?, ?, micros, ?, ?, ? FROM busy
  ON CONFLICT (namespace, name, owner) DO UPDATE SET heartbeat_at = EXCLUDED.heartbeat_at
)
SELECT owner, number, granted_at, label, lease_end, record_end, micros FROM busy
