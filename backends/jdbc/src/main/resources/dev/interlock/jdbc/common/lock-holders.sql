-- Locks the rows of shared and permit holders, because a renewal changes only the holder's own row. Renewals
-- lock them in the same order.
SELECT name, owner, number, mode, permits, label, granted_at, lease_end, record_end
FROM interlock_holder WHERE namespace = ? AND name IN (${names}) ORDER BY name, owner FOR UPDATE
