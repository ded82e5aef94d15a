-- All notes, and whether they are still to be kept.
SELECT id, note, CASE WHEN kept_until > ${now} THEN 1 ELSE 0 END FROM interlock_note WHERE namespace = ?
