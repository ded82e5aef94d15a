-- Numbers for the grants of session locks. A lock's bucket follows from its name, so the table stays small; numbers never go back.
CREATE TABLE IF NOT EXISTS interlock_session_token (
  bucket INT NOT NULL PRIMARY KEY,
  number BIGINT NOT NULL
) WITH (fillfactor = 50);

-- What a namespace of session locks has agreed on.
CREATE TABLE IF NOT EXISTS interlock_session_namespace (
  namespace VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
  terms     TEXT NOT NULL
);
