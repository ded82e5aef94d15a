-- Locks rows in the order of their names, so that two transactions never wait for each other.
SELECT name, number, owner, label, granted_at, lease_end, record_end, queued, last_place, forced_number, forced_until,
  ${now} AS micros
FROM interlock_lock WHERE namespace = ? AND name IN (${names}) ORDER BY name FOR UPDATE
