-- Those who have not been heard of in time.
DELETE FROM interlock_waiter WHERE namespace = ? AND name = ? AND heard_at < ${now} - heard_within
