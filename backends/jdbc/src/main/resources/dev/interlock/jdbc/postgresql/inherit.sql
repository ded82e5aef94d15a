-- Queues behind an exclusive holder whom nobody else waits for: as heir, in the lock's own row. Or keeps the place of one who asks again.
-- Answers the holder; nothing if the lock may be had, or somebody waits already.
UPDATE interlock_lock
SET crowded = 2, heir = ARRAY[?, ?, ?], heir_times = ARRAY[?, ${now}, ?]
WHERE namespace = ? AND name = ? AND owner IS NOT NULL AND owner <> ? AND GREATEST(lease_end, record_end) > ${now} AND (crowded = 0 OR crowded = 2 AND heir[1] = ?)
RETURNING owner, number, since, label, lease_end, record_end, ${now}
