-- Draws the next number for a lock that this session has. The row of its bucket must exist.
UPDATE interlock_session_token SET number = LAST_INSERT_ID(GREATEST(number, ?, ${now}) + 1) WHERE bucket = ?
