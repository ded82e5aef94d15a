DELETE FROM interlock_holder WHERE namespace = ? AND name = ? AND owner = ?
