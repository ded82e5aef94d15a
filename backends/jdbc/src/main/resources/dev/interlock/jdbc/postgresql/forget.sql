-- Ends somebody's wait, and says until when it may think that it was heard of: a heartbeat touches nothing but this row.
DELETE FROM interlock_waiter WHERE namespace = ? AND name = ? AND owner = ? RETURNING heard_at + heard_within
