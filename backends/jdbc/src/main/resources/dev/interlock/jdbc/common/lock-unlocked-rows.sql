-- Locks the given rows except those that another transaction has locked.
SELECT name FROM interlock_lock WHERE namespace = ? AND name IN (${names}) ORDER BY name FOR UPDATE SKIP LOCKED
