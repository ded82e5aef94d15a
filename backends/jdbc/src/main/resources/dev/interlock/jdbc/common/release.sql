-- Ends an exclusive grant of a lock without waiters.
UPDATE interlock_lock SET owner = NULL
WHERE namespace = ? AND name = ? AND owner = ? AND number = ? AND queued = FALSE AND lease_end > ${now}
