-- Takes a lock and draws its number in one committed step. A lock that is not had draws none.
WITH taken AS (SELECT ${lock}(?) AS had)
INSERT INTO interlock_session_token (bucket, number)
SELECT ?, GREATEST(CAST(? AS BIGINT), ${now}) + 1 FROM taken WHERE had
ON CONFLICT (bucket) DO UPDATE SET number = GREATEST(interlock_session_token.number + 1, EXCLUDED.number)
RETURNING number, pg_backend_pid()
