-- KEYS locks; ARGV[1] value
for i = 1, #KEYS do
    if redis.call('get', KEYS[i]) == ARGV[1] then
        redis.call('del', KEYS[i])
    end
end
return 1
