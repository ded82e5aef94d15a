SELECT name FROM shedlock WHERE lock_until > UTC_TIMESTAMP(3)
