MERGE INTO interlock_namespace (namespace) KEY (namespace) VALUES (?)
