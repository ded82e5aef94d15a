-- KEYS locks; ARGV[1] value, ARGV[2] milliseconds. Returns 1, or 0 if one of the locks is held.
if redis.call('exists', unpack(KEYS)) > 0 then
    return 0
end
for i = 1, #KEYS do
    redis.call('psetex', KEYS[i], ARGV[2], ARGV[1])
end
return 1
