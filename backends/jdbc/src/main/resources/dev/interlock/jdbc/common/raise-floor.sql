-- Raises the floor above the numbers of all rows that are about to be purged. The namespace's row is locked, so no row
-- is created in between.
UPDATE interlock_namespace
SET token_floor = GREATEST(token_floor, (SELECT COALESCE(MAX(number), 0) FROM interlock_lock
  WHERE namespace = ? AND queued = FALSE AND GREATEST(lease_end, record_end) <= ${now} - ?))
WHERE namespace = ?
