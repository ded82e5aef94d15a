-- As give, for statements that travel together: a row that somebody has locked at this moment is left out instead of waited for.
UPDATE interlock_lock SET owner = NULL
WHERE ctid = (
  SELECT ctid FROM interlock_lock
  WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND crowded = 0 AND lease_end > ${now}
  FOR UPDATE SKIP LOCKED)
