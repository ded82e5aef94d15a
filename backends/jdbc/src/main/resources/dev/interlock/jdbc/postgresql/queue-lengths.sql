SELECT l.name, COUNT(w.name) + MAX(CASE WHEN l.crowded = 2 AND l.heir_times[2] + l.heir_times[1] >= ${now} THEN 1 ELSE 0 END)
FROM interlock_lock AS l
LEFT JOIN interlock_waiter AS w ON w.namespace = l.namespace AND w.name = l.name AND w.heard_at >= ${now} - w.heard_within
WHERE l.namespace = ? AND l.name IN (${names}) GROUP BY l.name
