INSERT INTO interlock_session_namespace (namespace, agreement) VALUES (?, ?) ON CONFLICT DO NOTHING
