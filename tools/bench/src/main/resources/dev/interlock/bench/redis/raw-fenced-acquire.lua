-- KEYS[1] lock, KEYS[2] counter; ARGV[1] value, ARGV[2] milliseconds. Returns the token, or 0 if the lock is held.
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('incr', KEYS[2])
end
return 0
