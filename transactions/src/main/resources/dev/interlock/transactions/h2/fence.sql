-- The highest fencing token of each lock that protects data in this database.
-- Never delete rows: a missing row rejects no token.
CREATE TABLE IF NOT EXISTS interlock_fence (
  name    VARBINARY(512) NOT NULL PRIMARY KEY,
  token   BIGINT NOT NULL,              -- -1 if no lease has raised the fence
  owner   VARCHAR(64) NOT NULL,         -- a digest of the owner of the token
  changes BIGINT NOT NULL               -- how often it was raised or checked
)
