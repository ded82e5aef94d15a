-- Locks. Names come first in the key: comparing namespaces first would double the work of finding a row, since most have the same one. Times are microseconds since 1970 by the database's clock. What every grant writes is TEXT, whose length is not checked anew each time.
-- Every column costs every grant, whether it is changed or not: those of an heir are two arrays.
CREATE TABLE IF NOT EXISTS interlock_lock (
  namespace    VARCHAR(64) COLLATE "C" NOT NULL,
  name         VARCHAR(512) COLLATE "C" NOT NULL,
  number       BIGINT NOT NULL,            -- of the newest grant; never goes back
  owner        TEXT COLLATE "C",           -- the exclusive holder; NULL if there is none
  label        TEXT DEFAULT '' NOT NULL,
  since        BIGINT DEFAULT 0 NOT NULL,  -- when the holder got it; less than 0: so long before lease_end
  lease_end    BIGINT DEFAULT 0 NOT NULL,  -- when the holder's right ends
  record_end   BIGINT DEFAULT 0 NOT NULL,  -- until when the lock stays closed to others, if that is later; the later of both is a sign of the row's age
  crowded      SMALLINT DEFAULT 0 NOT NULL,-- 1 if it has rows in the other two tables, 2 if there is nobody but an heir
  arrivals     BIGINT DEFAULT 0 NOT NULL,  -- how many have ever queued
  forced       BIGINT DEFAULT 0 NOT NULL,  -- grants up to this number were released by force,
  forced_until BIGINT DEFAULT 0 NOT NULL,  -- and until then their owners may ask why
  heir         TEXT[] COLLATE "C",         -- one who waits for an exclusive holder, alone, if crowded is 2: owner, listener, label,
  heir_times   BIGINT[],                   -- heard_within, heard_at, token_floor, as in interlock_waiter
  PRIMARY KEY (name, namespace)
) WITH (fillfactor = 50);

-- Who holds a lock together with others: shared holders, and holders of permits.
CREATE TABLE IF NOT EXISTS interlock_holder (
  namespace  VARCHAR(64) COLLATE "C" NOT NULL,
  name       VARCHAR(512) COLLATE "C" NOT NULL,
  owner      VARCHAR(128) COLLATE "C" NOT NULL,
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
  namespace    VARCHAR(64) COLLATE "C" NOT NULL,
  name         VARCHAR(512) COLLATE "C" NOT NULL,
  place        BIGINT NOT NULL,
  owner        VARCHAR(128) COLLATE "C" NOT NULL,
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
  namespace   VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
  terms       TEXT DEFAULT '' NOT NULL,
  token_floor BIGINT DEFAULT 0 NOT NULL
);

-- What processes tell each other about waits that last, so that deadlocks are found.
CREATE TABLE IF NOT EXISTS interlock_note (
  namespace  VARCHAR(64) COLLATE "C" NOT NULL,
  id         VARCHAR(64) COLLATE "C" NOT NULL,
  note       TEXT NOT NULL,
  kept_until BIGINT NOT NULL,
  PRIMARY KEY (namespace, id)
);
