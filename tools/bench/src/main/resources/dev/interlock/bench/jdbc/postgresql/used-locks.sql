-- The rows that used locks leave in the tables. Each statement has one parameter: the number of locks.
INSERT INTO interlock_lock (namespace, name, number, record_end)
SELECT '', 'bench:' || n, 1, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING;

INSERT INTO bench_raw (name, owner, expires, token)
SELECT 'bench:' || n, 'free', '-infinity', 1 FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING;

INSERT INTO shedlock (name, lock_until, locked_at, locked_by)
SELECT 'bench:' || n, '1970-01-02', '1970-01-02', 'free' FROM generate_series(0, ? - 1) AS n
ON CONFLICT DO NOTHING
