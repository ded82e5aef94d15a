CREATE TABLE bench_raw (
  name    VARCHAR(255) COLLATE "C" PRIMARY KEY,
  owner   VARCHAR(64),
  expires TIMESTAMPTZ NOT NULL,
  token   BIGINT NOT NULL
) WITH (fillfactor = 50);

-- From the documentation of Spring Integration.
CREATE TABLE INT_LOCK (
  LOCK_KEY      CHAR(36) NOT NULL,
  REGION        VARCHAR(100) NOT NULL,
  CLIENT_ID     CHAR(36),
  CREATED_DATE  TIMESTAMP NOT NULL,
  EXPIRED_AFTER TIMESTAMP NOT NULL,
  CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
);

-- From the documentation of ShedLock.
CREATE TABLE shedlock (
  name       VARCHAR(64) NOT NULL,
  lock_until TIMESTAMP NOT NULL,
  locked_at  TIMESTAMP NOT NULL,
  locked_by  VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
);
