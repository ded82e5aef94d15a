SELECT name FROM interlock_lock WHERE lease_end > EXTRACT(EPOCH FROM clock_timestamp()) * 1000000
