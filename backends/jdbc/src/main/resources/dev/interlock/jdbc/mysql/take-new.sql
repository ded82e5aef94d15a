-- Takes a lock whose name has no row yet. Shares the namespace's row with other inserts and excludes a purge, which
-- raises the floor.
INSERT IGNORE INTO interlock_lock (namespace, name, number, owner, label, granted_at, lease_end, record_end)
SELECT namespace, ?, LAST_INSERT_ID(GREATEST(token_floor, ?, ${now}) + 1), ?, ?, ${now}, ${now} + ?, ${now} + ?
FROM interlock_namespace
WHERE namespace = ? LOCK IN SHARE MODE
