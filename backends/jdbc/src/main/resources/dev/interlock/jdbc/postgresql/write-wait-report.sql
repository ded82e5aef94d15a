-- Writes a wait report, replacing the earlier one with the same id.
INSERT INTO interlock_wait_report (namespace, id, report, expires_at) VALUES (?, ?, ?, ${now} + ?)
ON CONFLICT (namespace, id) DO UPDATE SET report = EXCLUDED.report, expires_at = EXCLUDED.expires_at
