-- Locks. Times are microseconds since 1970 by the database's clock.
CREATE TABLE IF NOT EXISTS interlock_lock (
  namespace    VARBINARY(64) NOT NULL,
  name         VARBINARY(512) NOT NULL,
  number       BIGINT NOT NULL,            -- of the newest grant; never goes back
  owner        VARCHAR(128),                    -- the exclusive holder; NULL if there is none
  label        VARCHAR(255) DEFAULT '' NOT NULL,
  since        BIGINT DEFAULT 0 NOT NULL,  -- when the holder got it; less than 0: so long before lease_end
  lease_end    BIGINT DEFAULT 0 NOT NULL,  -- when the holder's right ends
  record_end   BIGINT DEFAULT 0 NOT NULL,  -- until when the lock stays closed to others, if that is later; the later of both is a sign of the row's age
  crowded      SMALLINT DEFAULT 0 NOT NULL,-- 1 if it has rows in the other two tables
  arrivals     BIGINT DEFAULT 0 NOT NULL,  -- how many have ever queued
  forced       BIGINT DEFAULT 0 NOT NULL,  -- grants up to this number were released by force,
  forced_until BIGINT DEFAULT 0 NOT NULL,  -- and until then their owners may ask why
  PRIMARY KEY (namespace, name)
);

-- Who holds a lock together with others: shared holders, and holders of permits.
CREATE TABLE IF NOT EXISTS interlock_holder (
  namespace  VARBINARY(64) NOT NULL,
  name       VARBINARY(512) NOT NULL,
  owner      VARCHAR(128) NOT NULL,
  number     BIGINT NOT NULL,
  mode       CHAR(1) NOT NULL,             -- S or P
  permits    INT NOT NULL,
  label      VARCHAR(255) DEFAULT '' NOT NULL,
  since      BIGINT NOT NULL,
  lease_end  BIGINT NOT NULL,
  record_end BIGINT NOT NULL,
  PRIMARY KEY (namespace, name, owner)
);

-- Who waits for a lock, in the order of place.
CREATE TABLE IF NOT EXISTS interlock_waiter (
  namespace    VARBINARY(64) NOT NULL,
  name         VARBINARY(512) NOT NULL,
  place        BIGINT NOT NULL,
  owner        VARCHAR(128) NOT NULL,
  mode         CHAR(1) NOT NULL,           -- E, S or P
  permits      INT NOT NULL,
  capacity     INT NOT NULL,
  heard_within BIGINT NOT NULL,            -- for how long it stays without being heard of
  heard_at     BIGINT NOT NULL,
  token_floor  BIGINT NOT NULL,
  listener     VARCHAR(64) DEFAULT '' NOT NULL,
  label        VARCHAR(255) DEFAULT '' NOT NULL,
  PRIMARY KEY (namespace, name, place),
  UNIQUE (namespace, name, owner)
);

-- What a namespace has agreed on, and the number below which no lock begins, because rows with smaller ones have been purged.
CREATE TABLE IF NOT EXISTS interlock_namespace (
  namespace   VARBINARY(64) NOT NULL PRIMARY KEY,
  terms       VARCHAR DEFAULT '' NOT NULL,
  token_floor BIGINT DEFAULT 0 NOT NULL
);

-- What processes tell each other about waits that last, so that deadlocks are found.
CREATE TABLE IF NOT EXISTS interlock_note (
  namespace  VARBINARY(64) NOT NULL,
  id         VARCHAR(64) NOT NULL,
  note       VARCHAR NOT NULL,
  kept_until BIGINT NOT NULL,
  PRIMARY KEY (namespace, id)
);
