SELECT name FROM bench_raw WHERE expires > clock_timestamp()
