-- Live waiters per lock.
SELECT name, COUNT(*) FROM interlock_waiter
WHERE namespace = ? AND name IN (${names}) AND heartbeat_at >= ${now} - heartbeat_within GROUP BY name
