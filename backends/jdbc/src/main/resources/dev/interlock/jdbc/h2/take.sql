-- Takes a free lock that nobody waits for, in one step. Its row must exist.
SELECT number FROM FINAL TABLE (
UPDATE interlock_lock
SET number = GREATEST(number, ?, ${now}) + 1, owner = ?, label = ?, since = ?, lease_end = ${now} + ?, record_end = 0
WHERE namespace = ? AND name = ? AND crowded = 0 AND (owner IS NULL OR GREATEST(lease_end, record_end) <= ${now}) AND number < 9007199254740991
)
