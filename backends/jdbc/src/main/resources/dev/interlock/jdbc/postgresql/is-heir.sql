-- Whether somebody waits for a lock alone, with all that a row says of it: so this also shows whether the table has these columns.
SELECT heir, heir_within, heir_heard, heir_floor, heir_listener, heir_label FROM interlock_lock
WHERE namespace = ? AND name = ? AND crowded = 2 AND heir = ?
