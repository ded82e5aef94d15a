INSERT IGNORE INTO interlock_session_token (bucket, number) VALUES (?, 0)
