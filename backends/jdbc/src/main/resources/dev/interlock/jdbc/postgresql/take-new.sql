-- Takes a lock whose name has no row yet. Shares the namespace's row with other inserts and excludes a purge, which
-- raises the floor.
INSERT INTO interlock_lock (namespace, name, number, owner, label, granted_at, lease_end, record_end)
SELECT namespace, ?, GREATEST(token_floor, ?, ${now}) + 1, ?, ?, ${now}, ${now} + ?, ${now} + ?
FROM interlock_namespace
WHERE namespace = ? AND NOT EXISTS (SELECT 1 FROM interlock_lock WHERE namespace = ? AND name = ?)
FOR SHARE OF interlock_namespace
ON CONFLICT DO NOTHING RETURNING number
