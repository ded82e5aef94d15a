INSERT INTO bench_raw AS old (name, owner, expires, token)
VALUES (?, ?, clock_timestamp() + ? * INTERVAL '1 millisecond', 1)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires = excluded.expires, token = old.token + 1
WHERE old.expires <= clock_timestamp()
RETURNING owner, token
