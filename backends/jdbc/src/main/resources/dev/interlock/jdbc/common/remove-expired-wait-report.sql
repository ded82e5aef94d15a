-- Removes a wait report that its process has not refreshed in time.
DELETE FROM interlock_wait_report WHERE namespace = ? AND id = ? AND expires_at <= ${now}
