-- Locks that are held or waited for, in the order of their names.
SELECT name, number, owner, label, granted_at, lease_end, record_end, queued, last_place, forced_number, forced_until,
  ${now} AS micros
FROM interlock_lock
WHERE namespace = ? AND name >= ? AND name > ?
  AND (queued = TRUE OR (owner IS NOT NULL AND GREATEST(lease_end, record_end) > ${now}))
ORDER BY name LIMIT ?
