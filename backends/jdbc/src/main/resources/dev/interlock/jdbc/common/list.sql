-- Locks that are held or waited for.
SELECT name, number, owner, label, since, lease_end, record_end, crowded, arrivals, forced, forced_until, ${now} AS micros
FROM interlock_lock WHERE namespace = ? AND name >= ? AND name > ? AND (crowded <> 0 OR (owner IS NOT NULL AND GREATEST(lease_end, record_end) > ${now}))
ORDER BY name LIMIT ?
