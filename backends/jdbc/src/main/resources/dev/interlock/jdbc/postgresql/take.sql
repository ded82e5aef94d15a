-- Takes a free lock that nobody waits for, in one step, and says where its row lies now (give-at). Its row must exist. One whose lease has ended unreleased is for locked rows: it is rare, and each
-- expression that asks for the time is set up anew for every free lock. That is also why since counts from lease_end.
UPDATE interlock_lock
SET number = GREATEST(number, ?, ${now}) + 1, owner = ?, label = ?, since = ?, lease_end = ${now} + ?, record_end = 0
WHERE namespace = ? AND name = ? AND crowded = 0 AND owner IS NULL AND number < 9007199254740991
RETURNING number, ctid
