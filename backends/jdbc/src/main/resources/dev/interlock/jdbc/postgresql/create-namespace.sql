INSERT INTO interlock_namespace (namespace) VALUES (?) ON CONFLICT DO NOTHING
