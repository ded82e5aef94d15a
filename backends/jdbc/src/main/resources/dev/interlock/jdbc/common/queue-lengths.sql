SELECT name, COUNT(*) FROM interlock_waiter
WHERE namespace = ? AND name IN (${names}) AND heard_at >= ${now} - heard_within GROUP BY name
