-- Queues behind an exclusive holder whom nobody else waits for: as heir, in the lock's own row. Or keeps the place of one who asks again.
-- Answers the holder; nothing if the lock may be had, or somebody waits already.
UPDATE interlock_lock
SET crowded = 2, heir = ?, heir_within = ?, heir_heard = ${now}, heir_floor = ?, heir_listener = ?, heir_label = ?
WHERE namespace = ? AND name = ? AND owner IS NOT NULL AND owner <> ? AND GREATEST(lease_end, record_end) > ${now} AND (crowded = 0 OR crowded = 2 AND heir = ?)
RETURNING owner, number, since, label, lease_end, record_end, ${now}
