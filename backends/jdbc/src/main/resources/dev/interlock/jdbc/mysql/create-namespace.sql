INSERT IGNORE INTO interlock_namespace (namespace, agreement) VALUES (?, '')
