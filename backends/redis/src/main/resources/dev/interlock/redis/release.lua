-- release.lua: ends grants independently of each other, and grants their locks to the next live waiters.
-- KEYS: counter, quarantine, locks · ARGV: 'highestSeen singleServer', owner#number per lock
-- Returns the number of locks if all were released, otherwise per lock 1 (released) or 0 (not held).
local answers = {}
if not KEYS[4] then
  local lock, expected = KEYS[3], ARGV[2] .. '#-#'
  local value = redis.pcall('GET', lock)
  if type(value) == 'string' and string.sub(value, 1, #expected) == expected then
    local queue, waiters = '{' .. lock .. '}:q', '{' .. lock .. '}:w'
    local owner = redis.pcall('LINDEX', queue, 0)
    if not owner then
      redis.call('DEL', lock)
      return 1
    end
    -- Fast path for an exclusive, live waiter that was never skipped. All other cases are below.
    local waiter = type(owner) == 'string'
      and redis.pcall('HMGET', waiters, 't:' .. owner, 'c:' .. owner, 'p:' .. owner)
    if waiter and waiter[1] and waiter[2] and not waiter[3] and redis.call('EXISTS', KEYS[2]) == 0 then
      local heartbeatWithin, floor, listener, label = string.match(waiter[2], '^E 1 1 %d+ 0 (%d+) (%d+) (%S+) (.*)$')
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      -- A duration that Redis rejects would abort the script after the waiter was notified.
      local usable = heartbeatWithin and #heartbeatWithin <= 9 and tonumber(heartbeatWithin) >= 1
      local number = usable and now - (tonumber(waiter[1]) or 0) <= tonumber(heartbeatWithin)
        and redis.pcall('INCR', KEYS[1])
      local highestSeen, singleServer = string.match(ARGV[1], '^(%d+) (%d)$')
      if type(number) == 'number' and number > math.max(tonumber(highestSeen), tonumber(floor))
        and number <= 9007199254740991 then
        local numberText = string.format('#%.0f#', number)
        local channel = string.match(KEYS[1], '^(.*)interlock:') .. 'interlock:push:' .. listener
        local receivers = redis.pcall(
          'PUBLISH', channel, string.sub(numberText, 2) .. heartbeatWithin .. '#' .. owner .. '#' .. lock)
        if type(receivers) == 'number' and (receivers > 0 or singleServer == '0') then
          redis.call('SET', lock, owner .. numberText .. string.format('-#%.0f#', now) .. label, 'PX', heartbeatWithin)
          redis.call('LREM', queue, 1, owner)
          redis.call('HDEL', waiters, 't:' .. owner, 'c:' .. owner)
          return 1
        end
      end
    end
  end
else
  local values = redis.call('MGET', unpack(KEYS, 3))
  local queues, plainGrants = {}, {}
  for i = 1, #values do
    local expected = ARGV[i + 1] .. '#-#'
    queues[i] = '{' .. KEYS[i + 2] .. '}:q'
    if values[i] and string.sub(values[i], 1, #expected) == expected then
      plainGrants[#plainGrants + 1] = i
    end
  end
  if #plainGrants == #values and redis.call('EXISTS', unpack(queues)) == 0 then
    redis.call('DEL', unpack(KEYS, 3))
    return #values
  end
  for _, i in ipairs(plainGrants) do
    if redis.call('EXISTS', queues[i]) == 0 then
      redis.call('DEL', KEYS[i + 2])
      answers[i] = 1
    end
  end
end

local highestSeen, singleServer = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, quarantineKey = KEYS[1], KEYS[2]
highestSeen, singleServer = tonumber(highestSeen), singleServer == '1'
--#include record.lua
local function releaseOne(lock, owner, number)
  local record = readRecord(lock)
  if not findGrant(record, owner, number) then
    return 0
  end
  if record.mode == 'E' then
    redis.call('DEL', lock, sideKey(lock, 'd'))
  else
    redis.call('HDEL', sideKey(lock, 's'), owner)
  end
  return 1
end

for i = 3, #KEYS do
  local lock = KEYS[i]
  if not answers[i - 2] then
    local owner, number = string.match(ARGV[i - 1], '^(.*)#(%d+)$')
    answers[i - 2] = isolated(releaseOne, lock, owner, tonumber(number)) or 0
    isolated(readAndHandOver, lock, nil, true)
  end
end
return answers
