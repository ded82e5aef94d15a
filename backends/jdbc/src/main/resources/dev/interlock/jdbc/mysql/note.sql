-- Writes a note, over the former one of the same id.
INSERT INTO interlock_note (namespace, id, note, kept_until) VALUES (?, ?, ?, ${now} + ?)
ON DUPLICATE KEY UPDATE note = VALUES(note), kept_until = VALUES(kept_until)
