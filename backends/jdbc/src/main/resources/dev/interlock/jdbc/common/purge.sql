-- A row that was used after the floor was raised has a later end or a number above the floor.
DELETE FROM interlock_lock
WHERE namespace = ? AND queued = FALSE AND GREATEST(lease_end, record_end) <= ${now} - ?
  AND number <= (SELECT token_floor FROM interlock_namespace WHERE namespace = ?)
