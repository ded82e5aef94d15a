-- Whether somebody waits for a lock alone, with all that a row says of it: so this also shows whether the table has these columns.
SELECT heir, heir_times FROM interlock_lock
WHERE namespace = ? AND name = ? AND crowded = 2 AND heir[1] = ?
