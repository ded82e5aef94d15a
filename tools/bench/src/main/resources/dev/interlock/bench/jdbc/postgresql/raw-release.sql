UPDATE bench_raw SET expires = '-infinity' WHERE name = ? AND owner = ? AND expires > clock_timestamp()
