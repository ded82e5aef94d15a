DELETE FROM interlock_waiter WHERE namespace = ? AND name = ? AND owner = ?
