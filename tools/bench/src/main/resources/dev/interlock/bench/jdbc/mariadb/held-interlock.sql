SELECT CONVERT(name USING utf8mb4) FROM interlock_lock WHERE lease_end > UNIX_TIMESTAMP(NOW(6)) * 1000000
