-- As take, for statements that travel together: a row that somebody has locked at this moment is left out instead of waited for. The driver adds RETURNING.
UPDATE interlock_lock
SET number = GREATEST(number, ?, ${now}) + 1, owner = ?, label = ?, since = ?, lease_end = ${now} + ?, record_end = 0
WHERE ctid = (
  SELECT ctid FROM interlock_lock
  WHERE namespace = ? AND name = ? AND crowded = 0 AND owner IS NULL AND number < 9007199254740991
  FOR UPDATE SKIP LOCKED)
