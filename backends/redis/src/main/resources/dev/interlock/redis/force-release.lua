-- force-release.lua: ends all grants of a lock, and grants it to the next live waiter.
-- KEYS: counter, quarantine, lock · ARGV: 'highestSeen singleServer'
-- Returns how many grants were ended. Their numbers are stored until every owner must have tried to renew.
local highestSeen, singleServer = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, quarantineKey = KEYS[1], KEYS[2]
highestSeen, singleServer = tonumber(highestSeen), singleServer == '1'
--#include record.lua
local lock = KEYS[3]
local record = readRecord(lock)
local longestLeft = 0
for _, holder in ipairs(record.holders) do
  if holder.mode ~= 'F' then
    redis.call('HSET', sideKey(lock, 'f'), formatInteger(holder.number), '1')
    longestLeft = math.max(longestLeft, holder.recordEnd - now)
  end
end
if longestLeft > 0 then
  redis.call('PEXPIRE', sideKey(lock, 'f'), longestLeft + 1000)
end
redis.call('DEL', lock, sideKey(lock, 'd'), sideKey(lock, 's'))
readAndHandOver(lock)
return #record.holders
