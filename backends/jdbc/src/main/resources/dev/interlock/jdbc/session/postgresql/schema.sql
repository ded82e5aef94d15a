-- Numbers for the grants of session locks. A lock's bucket follows from its name, so the table stays small. Numbers
-- never decrease.
CREATE TABLE IF NOT EXISTS interlock_session_token (
  bucket INT NOT NULL PRIMARY KEY,
  number BIGINT NOT NULL
) WITH (fillfactor = 50);

-- The namespace agreement of session locks.
CREATE TABLE IF NOT EXISTS interlock_session_namespace (
  namespace VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
  agreement TEXT NOT NULL
);
