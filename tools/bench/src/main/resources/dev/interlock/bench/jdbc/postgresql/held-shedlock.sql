SELECT name FROM shedlock WHERE lock_until > clock_timestamp() AT TIME ZONE 'UTC'
