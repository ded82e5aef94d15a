-- force.lua: ends all grants of a lock, whoever has them, and hands it to the next living waiter.
-- KEYS: counter, quarantine mark, lock · ARGV: 'seen alone'
-- Answers how many grants there were. Their numbers are remembered until their owners must have asked.
local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, mark = KEYS[1], KEYS[2]
seen, alone = tonumber(seen), alone == '1'
--#include record.lua
local lock = KEYS[3]
local record = look(lock)
local longest = 0
for _, holder in ipairs(record.holders) do
  if holder.mode ~= 'F' then
    redis.call('HSET', side(lock, 'f'), whole(holder.number), '1')
    longest = math.max(longest, holder.recordEnd - now)
  end
end
if longest > 0 then
  redis.call('PEXPIRE', side(lock, 'f'), longest + 1000)
end
redis.call('DEL', lock, side(lock, 'd'), side(lock, 's'))
refreshed(lock)
return #record.holders
