-- Forgets a note that is over.
DELETE FROM interlock_note WHERE namespace = ? AND id = ?
