-- Takes a lock and draws its number in one committed step. If another session has the lock, no number is drawn.
WITH taken AS (SELECT ${lock}(?) AS granted)
INSERT INTO interlock_session_token (bucket, number)
SELECT ?, GREATEST(CAST(? AS BIGINT), ${now}) + 1 FROM taken WHERE granted
ON CONFLICT (bucket) DO UPDATE SET number = GREATEST(interlock_session_token.number + 1, EXCLUDED.number)
RETURNING number, pg_backend_pid()
