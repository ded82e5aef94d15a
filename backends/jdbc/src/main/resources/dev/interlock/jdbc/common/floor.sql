-- The namespace's row is locked: nobody makes a row meanwhile.
UPDATE interlock_namespace
SET token_floor = GREATEST(token_floor, (SELECT COALESCE(MAX(number), 0) FROM interlock_lock WHERE namespace = ? AND crowded = 0 AND GREATEST(lease_end, record_end) <= ${now} - ?))
WHERE namespace = ?
