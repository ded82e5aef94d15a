-- Creates the row of a lock unless it exists. A purge at the same time is harmless: numbers are also above the clock.
MERGE INTO interlock_lock AS old
USING (SELECT namespace, CAST(? AS VARBINARY(512)) AS name, token_floor FROM interlock_namespace WHERE namespace = ?)
  AS made
ON old.namespace = made.namespace AND old.name = made.name
WHEN NOT MATCHED THEN INSERT (namespace, name, number, record_end)
  VALUES (made.namespace, made.name, made.token_floor, ${now})
