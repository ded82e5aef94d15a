-- KEYS locks; ARGV[1] milliseconds, ARGV[2…] the value of each lock. Returns the number of renewed locks.
local renewed = 0
for i = 1, #KEYS do
    if redis.call('get', KEYS[i]) == ARGV[i + 1] then
        redis.call('pexpire', KEYS[i], ARGV[1])
        renewed = renewed + 1
    end
end
return renewed
