-- Numbers for the grants of session locks. A lock's bucket follows from its name, so the table stays small. Numbers
-- never decrease.
CREATE TABLE IF NOT EXISTS interlock_session_token (
  bucket INT NOT NULL PRIMARY KEY,
  number BIGINT NOT NULL
) ENGINE = InnoDB;

-- The namespace agreement of session locks. Bytes, because comparing text would ignore case or trailing blanks.
CREATE TABLE IF NOT EXISTS interlock_session_namespace (
  namespace VARBINARY(64) NOT NULL PRIMARY KEY,
  agreement BLOB NOT NULL
) ENGINE = InnoDB;
