-- Writes a wait report, replacing the earlier one with the same id.
MERGE INTO interlock_wait_report (namespace, id, report, expires_at) KEY (namespace, id) VALUES (?, ?, ?, ${now} + ?)
