-- The highest token of each lock that guards data in this database. Rows stay for ever: a forgotten fence forgets whom to refuse.
CREATE TABLE IF NOT EXISTS interlock_fence (
  name    VARBINARY(512) NOT NULL PRIMARY KEY,
  token   BIGINT NOT NULL,              -- -1 if nothing was raised yet
  owner   VARCHAR(64) NOT NULL,         -- a digest of who raised it
  changes BIGINT NOT NULL               -- how often it was raised or checked
)
