-- A row that was used since the floor was raised has a later end, or a number above it.
DELETE FROM interlock_lock
WHERE namespace = ? AND crowded = 0 AND GREATEST(lease_end, record_end) <= ${now} - ? AND number <= (SELECT token_floor FROM interlock_namespace WHERE namespace = ?)
