-- The rows that used locks leave in the tables. Each statement has one parameter: the number of locks.
INSERT IGNORE INTO interlock_lock (namespace, name, number, record_end)
SELECT '', CONCAT('bench:', seq), 1, CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) FROM seq_0_to_999999 WHERE seq < ?;

INSERT IGNORE INTO bench_raw (name, owner, expires, token)
SELECT CONCAT('bench:', seq), 'free', '1970-01-02', 1 FROM seq_0_to_999999 WHERE seq < ?;

INSERT IGNORE INTO shedlock (name, lock_until, locked_at, locked_by)
SELECT CONCAT('bench:', seq), '1970-01-02', '1970-01-02', 'free' FROM seq_0_to_999999 WHERE seq < ?
