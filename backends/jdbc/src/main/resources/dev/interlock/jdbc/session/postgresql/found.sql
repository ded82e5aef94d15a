INSERT INTO interlock_session_namespace (namespace, terms) VALUES (?, ?) ON CONFLICT DO NOTHING
