-- withdraw.lua: ends an attempt's wait for locks and returns what it was granted.
-- KEYS: counter, quarantine, locks · ARGV: 'highestSeen singleServer', owner
-- Returns per lock {number, remaining lease}, or {} if the owner does not hold it.
local highestSeen, singleServer = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, quarantineKey = KEYS[1], KEYS[2]
highestSeen, singleServer = tonumber(highestSeen), singleServer == '1'
--#include record.lua
local function withdrawOne(lock, owner)
  removeWaiter(lock, owner)
  local own = findHolder(readAndHandOver(lock), owner)
  return own and own.leaseEnd > now and {own.number, own.leaseEnd - now} or {}
end

local answers = {}
for i = 3, #KEYS do
  answers[i - 2] = isolated(withdrawOne, KEYS[i], ARGV[2]) or {}
end
return answers
