-- Reads rows without locking them.
SELECT name, number, owner, label, since, lease_end, record_end, crowded, arrivals, forced, forced_until, ${now} AS micros
FROM interlock_lock WHERE namespace = ? AND name IN (${names})
