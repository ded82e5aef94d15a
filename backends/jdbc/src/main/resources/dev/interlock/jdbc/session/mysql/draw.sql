-- Draws a number for a lock that this session has. Its bucket's row must exist.
UPDATE interlock_session_token SET number = LAST_INSERT_ID(GREATEST(number, ?, ${now}) + 1) WHERE bucket = ?
