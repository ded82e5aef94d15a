-- As give, for a grant whose row lies where it lay when it was taken: the server need not look for it. If it has moved, because it was renewed or
-- somebody has queued, or if another row lies there by now, nothing is done. Whose row it is is said by its owner: an attempt for one lock, unique in all namespaces.
-- The time is not asked for: as long as the row names this grant nobody has had the lock since, so it can be given back even if its lease has just ended.
UPDATE interlock_lock SET owner = NULL
WHERE ctid = ? AND owner = ? AND number = ? AND crowded = 0
