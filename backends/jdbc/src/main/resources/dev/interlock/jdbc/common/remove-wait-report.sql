DELETE FROM interlock_wait_report WHERE namespace = ? AND id = ?
