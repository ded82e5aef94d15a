-- Takes a released lock that has a row and no waiters. A lock whose lease ended without a release is left to RowSteps:
-- it is rare, and each expression that reads the clock costs every free lock.
UPDATE interlock_lock
SET number = GREATEST(number, ?, ${now}) + 1, owner = ?, label = ?, granted_at = ${now}, lease_end = ${now} + ?,
  record_end = 0
WHERE namespace = ? AND name = ? AND queued = FALSE AND owner IS NULL AND number < 9007199254740991
RETURNING number
