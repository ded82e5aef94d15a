-- Forgets a note whose process has not written it again in time.
DELETE FROM interlock_note WHERE namespace = ? AND id = ? AND kept_until <= ${now}
