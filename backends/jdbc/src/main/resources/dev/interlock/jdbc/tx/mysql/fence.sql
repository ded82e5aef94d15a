-- The highest token of each lock that guards data in this database. Rows stay for ever: a forgotten fence forgets whom to refuse.
-- Names are bytes, because comparing them as text would ignore case or blanks at the end.
CREATE TABLE IF NOT EXISTS interlock_fence (
  name    VARBINARY(512) NOT NULL PRIMARY KEY,
  token   BIGINT NOT NULL,              -- -1 if nothing was raised yet
  owner   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,  -- a digest of who raised it
  changes BIGINT NOT NULL               -- how often it was raised or checked; tells an old snapshot from a fresh one
) ENGINE = InnoDB
