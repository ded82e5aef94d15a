-- Lets the one who waits alone queue as the others do. The lock's row is locked, for so long that it could not be heard of meanwhile.
WITH settled AS (
  UPDATE interlock_lock SET crowded = 1, arrivals = arrivals + 1 WHERE namespace = ? AND name = ? AND crowded = 2
  RETURNING namespace, name, arrivals, heir, heir_times, heir_times[2] + ? AS heard_at
)
INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within, heard_at, token_floor, listener, label)
SELECT namespace, name, arrivals, heir[1], 'E', 1, 1, heir_times[1], heard_at, COALESCE(heir_times[3], 0), COALESCE(heir[2], ''), COALESCE(heir[3], '')
FROM settled
WHERE heir[1] IS NOT NULL AND heir_times[1] IS NOT NULL AND heard_at IS NOT NULL
ON CONFLICT (namespace, name, owner) DO UPDATE SET heard_at = EXCLUDED.heard_at
