-- All wait reports, and whether each is still valid.
SELECT id, report, CASE WHEN expires_at > ${now} THEN 1 ELSE 0 END FROM interlock_wait_report WHERE namespace = ?
