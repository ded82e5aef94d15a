-- Writes a note, over the former one of the same id.
INSERT INTO interlock_note (namespace, id, note, kept_until) VALUES (?, ?, ?, ${now} + ?)
ON CONFLICT (namespace, id) DO UPDATE SET note = EXCLUDED.note, kept_until = EXCLUDED.kept_until
