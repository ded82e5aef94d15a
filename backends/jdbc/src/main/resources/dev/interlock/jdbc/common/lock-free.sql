-- Locks those of several rows that nobody else has locked.
SELECT name FROM interlock_lock WHERE namespace = ? AND name IN (${names}) ORDER BY name FOR UPDATE SKIP LOCKED
