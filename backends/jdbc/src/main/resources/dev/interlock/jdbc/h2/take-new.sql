-- Takes a lock whose name has no row yet. A purge at the same time is harmless: the number is also above the clock.
SELECT number FROM FINAL TABLE (
INSERT INTO interlock_lock (namespace, name, number, owner, label, granted_at, lease_end, record_end)
SELECT namespace, CAST(? AS VARBINARY(512)), GREATEST(token_floor, ?, ${now}) + 1, CAST(? AS VARCHAR(128)),
  CAST(? AS VARCHAR(255)), ${now}, ${now} + ?, ${now} + ?
FROM interlock_namespace
WHERE namespace = ? AND NOT EXISTS (SELECT 1 FROM interlock_lock WHERE namespace = ? AND name = ?)
)
