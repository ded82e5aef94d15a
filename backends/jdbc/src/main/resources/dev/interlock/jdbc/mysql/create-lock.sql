-- Creates the row of a lock unless it exists. Shares the namespace's row with other inserts and excludes a purge, which
-- raises the floor.
INSERT IGNORE INTO interlock_lock (namespace, name, number, record_end)
SELECT namespace, ?, token_floor, ${now} FROM interlock_namespace WHERE namespace = ? LOCK IN SHARE MODE
