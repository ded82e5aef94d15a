INSERT IGNORE INTO interlock_namespace (namespace, terms) VALUES (?, '')
