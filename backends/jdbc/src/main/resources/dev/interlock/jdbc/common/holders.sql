-- Those who hold a lock together, locked, because a renewal touches only their own rows; in the order in which it does.
SELECT name, owner, number, mode, permits, label, since, lease_end, record_end
FROM interlock_holder WHERE namespace = ? AND name IN (${names}) ORDER BY name, owner FOR UPDATE
