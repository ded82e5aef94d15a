UPDATE bench_raw SET expires = clock_timestamp() + ? * INTERVAL '1 millisecond' WHERE owner = ? AND expires > clock_timestamp()
