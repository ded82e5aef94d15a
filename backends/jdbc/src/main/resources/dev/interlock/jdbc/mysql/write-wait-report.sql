-- Writes a wait report, replacing the earlier one with the same id.
INSERT INTO interlock_wait_report (namespace, id, report, expires_at) VALUES (?, ?, ?, ${now} + ?)
ON DUPLICATE KEY UPDATE report = VALUES(report), expires_at = VALUES(expires_at)
