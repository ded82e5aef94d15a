-- Makes a row for a name, unless there is one. Shares the namespace's row with others who do that, and excludes a purge, which raises the floor.
INSERT INTO interlock_lock (namespace, name, number, record_end)
SELECT namespace, ?, token_floor, ${now} FROM interlock_namespace WHERE namespace = ? FOR SHARE
ON CONFLICT DO NOTHING
