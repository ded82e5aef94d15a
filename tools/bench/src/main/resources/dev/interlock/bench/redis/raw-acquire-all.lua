-- KEYS locks; ARGV[1] value, ARGV[2] milliseconds. Answers 1, or 0 if one of them is busy.
if redis.call('exists', unpack(KEYS)) > 0 then
    return 0
end
for i = 1, #KEYS do
    redis.call('psetex', KEYS[i], ARGV[2], ARGV[1])
end
return 1
