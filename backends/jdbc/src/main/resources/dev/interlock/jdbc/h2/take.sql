-- Takes a free lock that has a row and no waiters.
SELECT number FROM FINAL TABLE (
UPDATE interlock_lock
SET number = GREATEST(number, ?, ${now}) + 1, owner = ?, label = ?, granted_at = ${now}, lease_end = ${now} + ?,
  record_end = 0
WHERE namespace = ? AND name = ? AND queued = FALSE AND (owner IS NULL OR GREATEST(lease_end, record_end) <= ${now})
  AND number < 9007199254740991
)
