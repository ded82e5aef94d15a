-- Draws the next number for a lock that this session has.
INSERT INTO interlock_session_token (bucket, number)
VALUES (?, GREATEST(CAST(? AS BIGINT), ${now}) + 1)
ON CONFLICT (bucket) DO UPDATE SET number = GREATEST(interlock_session_token.number + 1, EXCLUDED.number)
RETURNING number
