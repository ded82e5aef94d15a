-- Rows of the first locks, as everyone leaves them who has used each of them once. Each statement has one parameter: how many.
INSERT IGNORE INTO interlock_lock (namespace, name, number, record_end)
SELECT '', CONCAT('bench:', seq), 1, CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) FROM seq_0_to_999999 WHERE seq < ?;

INSERT IGNORE INTO bench_raw (name, owner, expires, token)
SELECT CONCAT('bench:', seq), 'nobody', '1970-01-02', 1 FROM seq_0_to_999999 WHERE seq < ?;

INSERT IGNORE INTO shedlock (name, lock_until, locked_at, locked_by)
SELECT CONCAT('bench:', seq), '1970-01-02', '1970-01-02', 'nobody' FROM seq_0_to_999999 WHERE seq < ?
