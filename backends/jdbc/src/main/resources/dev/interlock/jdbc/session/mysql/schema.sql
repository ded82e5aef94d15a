-- Numbers for the grants of session locks. A lock's bucket follows from its name, so the table stays small; numbers never go back.
CREATE TABLE IF NOT EXISTS interlock_session_token (
  bucket INT NOT NULL PRIMARY KEY,
  number BIGINT NOT NULL
) ENGINE = InnoDB;

-- What a namespace of session locks has agreed on. Bytes, because comparing text would ignore case or blanks at the end.
CREATE TABLE IF NOT EXISTS interlock_session_namespace (
  namespace VARBINARY(64) NOT NULL PRIMARY KEY,
  terms     BLOB NOT NULL
) ENGINE = InnoDB;
