-- Locks. Times are microseconds since 1970 by the database's clock.
CREATE TABLE IF NOT EXISTS interlock_lock (
  namespace     VARBINARY(64) NOT NULL,
  name          VARBINARY(512) NOT NULL,
  -- Number of the newest grant. Never decreases.
  number        BIGINT NOT NULL,
  -- The exclusive holder, or NULL.
  owner         VARCHAR(128),
  label         VARCHAR(255) DEFAULT '' NOT NULL,
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
  PRIMARY KEY (namespace, name)
);

-- Shared holders and holders of permits.
CREATE TABLE IF NOT EXISTS interlock_holder (
  namespace  VARBINARY(64) NOT NULL,
  name       VARBINARY(512) NOT NULL,
  owner      VARCHAR(128) NOT NULL,
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
  namespace        VARBINARY(64) NOT NULL,
  name             VARBINARY(512) NOT NULL,
  place            BIGINT NOT NULL,
  owner            VARCHAR(128) NOT NULL,
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
  namespace   VARBINARY(64) NOT NULL PRIMARY KEY,
  agreement   VARCHAR DEFAULT '' NOT NULL,
  token_floor BIGINT DEFAULT 0 NOT NULL
);

-- Wait reports, by which processes detect deadlocks.
CREATE TABLE IF NOT EXISTS interlock_wait_report (
  namespace  VARBINARY(64) NOT NULL,
  id         VARCHAR(64) NOT NULL,
  report     VARCHAR NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (namespace, id)
);
