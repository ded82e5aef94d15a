-- renew.lua: extends grants independently of each other. Never shortens or revives one.
-- KEYS: locks, and nothing else, so that a lock in a slot that is being migrated can still be renewed
-- ARGV: whether PEXPIRE supports GT, per lock: owner#number, lease, delay
-- Returns per lock the remaining lease, or -1 expired, -2 replaced, -3 released by force.
local values = redis.call('MGET', unpack(KEYS))
local supportsGT = ARGV[1] == '1'
local answers = {}
local slowPath
for i = 1, #values do
  local name, lease, delay = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local plainPrefix = name .. '#-#'
  if delay == '0' and values[i] and string.sub(values[i], 1, #plainPrefix) == plainPrefix then
    lease = tonumber(lease)
    if supportsGT then
      if redis.call('PEXPIRE', KEYS[i], lease, 'GT') == 0 then
        lease = redis.call('PTTL', KEYS[i])
      end
    else
      local left = redis.call('PTTL', KEYS[i])
      if left < lease then
        redis.call('PEXPIRE', KEYS[i], lease)
      else
        lease = left
      end
    end
    answers[i] = lease
  else
    answers[i] = 0
    slowPath = slowPath or {}
    slowPath[#slowPath + 1] = i
  end
end
if not slowPath then
  return answers
end

local counter, quarantineKey, highestSeen, singleServer = false, false, 0, false
--#include record.lua
local records = {} -- each lock is read once, however many of its holders are renewed
local function renewOne(i)
  local lock, name = KEYS[i], ARGV[3 * i - 1]
  local owner, number = string.match(name, '^(.*)#(%d+)$')
  local record = records[lock] or readRecord(lock)
  records[lock] = record
  local holder = findGrant(record, owner, tonumber(number))
  if holder then
    return extend(lock, record, holder, tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]))
  elseif redis.call('HEXISTS', sideKey(lock, 'f'), number) == 1 then
    return -3
  end
  local newest = record.holders[#record.holders]
  return newest and (newest.mode == 'F' or newest.number > tonumber(number)) and -2 or -1
end
for _, i in ipairs(slowPath) do
  answers[i] = isolated(renewOne, i) or 0 -- not extended; the client renews again
end
return answers
