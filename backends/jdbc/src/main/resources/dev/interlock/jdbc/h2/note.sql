-- Writes a note, over the former one of the same id.
MERGE INTO interlock_note (namespace, id, note, kept_until) KEY (namespace, id) VALUES (?, ?, ?, ${now} + ?)
