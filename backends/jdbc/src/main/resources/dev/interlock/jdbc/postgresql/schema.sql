-- Locks. Times are microseconds since 1970 by the database's clock.
-- The name comes first in the key: most rows share a namespace, and comparing that first would double the cost of a
-- lookup.
-- Columns that every grant writes are TEXT, whose length is not checked on each write.
CREATE TABLE IF NOT EXISTS interlock_lock (
  namespace     VARCHAR(64) COLLATE "C" NOT NULL,
  name          VARCHAR(512) COLLATE "C" NOT NULL,
  -- Number of the newest grant. Never decreases.
  number        BIGINT NOT NULL,
  -- The exclusive holder, or NULL.
  owner         TEXT COLLATE "C",
  label         TEXT DEFAULT '' NOT NULL,
  granted_at    BIGINT DEFAULT 0 NOT NULL,
  -- End of the holder's lease.
  lease_end     BIGINT DEFAULT 0 NOT NULL,
  -- End of the lock-delay, if later than lease_end. The later of both is the age of an unused row.
  record_end    BIGINT DEFAULT 0 NOT NULL,
  -- Whether the lock has rows in interlock_holder or interlock_waiter.
  queued        BOOLEAN DEFAULT FALSE NOT NULL,
  -- Place of the newest waiter. Never decreases.
  last_place    BIGINT DEFAULT 0 NOT NULL,
  -- Grants up to this number were released by force. Until forced_until, their holders see this reason.
  forced_number BIGINT DEFAULT 0 NOT NULL,
  forced_until  BIGINT DEFAULT 0 NOT NULL,
  PRIMARY KEY (name, namespace)
) WITH (fillfactor = 50);

-- Shared holders and holders of permits.
CREATE TABLE IF NOT EXISTS interlock_holder (
  namespace  VARCHAR(64) COLLATE "C" NOT NULL,
  name       VARCHAR(512) COLLATE "C" NOT NULL,
  owner      VARCHAR(128) COLLATE "C" NOT NULL,
  number     BIGINT NOT NULL,
  -- S or P.
  mode       CHAR(1) NOT NULL,
  permits    INT NOT NULL,
  label      VARCHAR(255) DEFAULT '' NOT NULL,
  granted_at BIGINT NOT NULL,
  lease_end  BIGINT NOT NULL,
  record_end BIGINT NOT NULL,
  PRIMARY KEY (namespace, name, owner)
);

-- Waiters, in the order of place.
CREATE TABLE IF NOT EXISTS interlock_waiter (
  namespace        VARCHAR(64) COLLATE "C" NOT NULL,
  name             VARCHAR(512) COLLATE "C" NOT NULL,
  place            BIGINT NOT NULL,
  owner            VARCHAR(128) COLLATE "C" NOT NULL,
  -- E, S or P.
  mode             CHAR(1) NOT NULL,
  permits          INT NOT NULL,
  capacity         INT NOT NULL,
  -- A waiter without a heartbeat for this long loses its place.
  heartbeat_within BIGINT NOT NULL,
  heartbeat_at     BIGINT NOT NULL,
  token_floor      BIGINT NOT NULL,
  -- Channel that is notified of a grant, or empty.
  channel          VARCHAR(64) DEFAULT '' NOT NULL,
  label            VARCHAR(255) DEFAULT '' NOT NULL,
  PRIMARY KEY (namespace, name, place),
  UNIQUE (namespace, name, owner)
);

-- The namespace agreement. No lock starts at or below token_floor, because rows with lower numbers have been purged.
CREATE TABLE IF NOT EXISTS interlock_namespace (
  namespace   VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
  agreement   TEXT DEFAULT '' NOT NULL,
  token_floor BIGINT DEFAULT 0 NOT NULL
);

-- Wait reports, by which processes detect deadlocks.
CREATE TABLE IF NOT EXISTS interlock_wait_report (
  namespace  VARCHAR(64) COLLATE "C" NOT NULL,
  id         VARCHAR(64) COLLATE "C" NOT NULL,
  report     TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (namespace, id)
);
