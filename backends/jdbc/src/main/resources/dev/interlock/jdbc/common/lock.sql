-- Locks rows, in the order of their names, so that two transactions never wait for each other.
SELECT name, number, owner, label, since, lease_end, record_end, crowded, arrivals, forced, forced_until, ${now} AS micros
FROM interlock_lock WHERE namespace = ? AND name IN (${names}) ORDER BY name FOR UPDATE
