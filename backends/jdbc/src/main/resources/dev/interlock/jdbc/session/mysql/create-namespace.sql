INSERT IGNORE INTO interlock_session_namespace (namespace, agreement) VALUES (?, ?)
