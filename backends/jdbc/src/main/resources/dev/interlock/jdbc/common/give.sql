-- Ends a grant of a lock that nobody waits for.
UPDATE interlock_lock SET owner = NULL
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND crowded = 0 AND lease_end > ${now}
