-- Queues behind an exclusive holder and others who wait, or keeps the place of one who asks again. Answers the holder; nothing if the lock may be had, or nobody
-- but an heir waits.
WITH busy AS (
  UPDATE interlock_lock SET crowded = 1, arrivals = arrivals + 1
  WHERE namespace = ? AND name = ? AND owner IS NOT NULL AND owner <> ? AND GREATEST(lease_end, record_end) > ${now} AND crowded = 1
  RETURNING namespace, name, arrivals, owner, number, since, label, lease_end, record_end, ${now} AS micros
), queued AS (
  INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within, heard_at, token_floor, listener, label)
  SELECT namespace, name, arrivals, ?, 'E', ?, ?, ?, micros, ?, ?, ? FROM busy
  ON CONFLICT (namespace, name, owner) DO UPDATE SET heard_at = EXCLUDED.heard_at
)
SELECT owner, number, since, label, lease_end, record_end, micros FROM busy
