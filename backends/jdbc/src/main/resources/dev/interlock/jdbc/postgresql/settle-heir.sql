-- Lets the one who waits alone queue as the others do. The lock's row is locked, for so long that it could not be heard of meanwhile.
WITH settled AS (
  UPDATE interlock_lock SET crowded = 1, arrivals = arrivals + 1 WHERE namespace = ? AND name = ? AND crowded = 2
  RETURNING namespace, name, arrivals, heir, heir_within, heir_heard + ? AS heard_at, heir_floor, heir_listener, heir_label
)
INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within, heard_at, token_floor, listener, label)
SELECT namespace, name, arrivals, heir, 'E', 1, 1, heir_within, heard_at, COALESCE(heir_floor, 0), COALESCE(heir_listener, ''), COALESCE(heir_label, '')
FROM settled
WHERE heir IS NOT NULL AND heir_within IS NOT NULL AND heard_at IS NOT NULL
ON CONFLICT (namespace, name, owner) DO UPDATE SET heard_at = EXCLUDED.heard_at
