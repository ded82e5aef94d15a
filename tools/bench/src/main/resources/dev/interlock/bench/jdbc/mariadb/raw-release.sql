UPDATE bench_raw SET expires = '1970-01-02' WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)
