-- Draws a number for a lock that this session has already.
INSERT INTO interlock_session_token (bucket, number)
VALUES (?, GREATEST(CAST(? AS BIGINT), ${now}) + 1)
ON CONFLICT (bucket) DO UPDATE SET number = GREATEST(interlock_session_token.number + 1, EXCLUDED.number)
RETURNING number
