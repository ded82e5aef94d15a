-- Rows of the first locks, as everyone leaves them who has used each of them once. Each statement has one parameter: how many.
INSERT INTO interlock_lock (namespace, name, number, record_end)
SELECT '', 'bench:' || n, 1, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING;

INSERT INTO bench_raw (name, owner, expires, token)
SELECT 'bench:' || n, 'nobody', '-infinity', 1 FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING;

INSERT INTO shedlock (name, lock_until, locked_at, locked_by)
SELECT 'bench:' || n, '1970-01-02', '1970-01-02', 'nobody' FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING
