-- Makes a row for a name, unless there is one. Shares the namespace's row with others who do that, and excludes a purge, which raises the floor.
INSERT IGNORE INTO interlock_lock (namespace, name, number, record_end)
SELECT namespace, ?, token_floor, ${now} FROM interlock_namespace WHERE namespace = ? LOCK IN SHARE MODE
