-- release.lua: ends grants, each by itself, and hands their locks to the next living waiters.
-- KEYS: counter, quarantine mark, locks · ARGV: 'seen alone', owner#number per lock
-- Answers the number of locks if all were released, else per lock 1 (released) or 0 (not held).
local answers = {}
if not KEYS[4] then
  local lock, expected = KEYS[3], ARGV[2] .. '#-#'
  local value = redis.pcall('GET', lock)
  if type(value) == 'string' and string.sub(value, 1, #expected) == expected then
    local queue, places = '{' .. lock .. '}:q', '{' .. lock .. '}:w'
    local owner = redis.pcall('LINDEX', queue, 0)
    if not owner then
      redis.call('DEL', lock)
      return 1
    end
    -- The usual waiter, exclusive and alive, in short; all others below.
    local place = type(owner) == 'string' and redis.pcall('HMGET', places, 't:' .. owner, 'c:' .. owner, 'p:' .. owner)
    if place and place[1] and place[2] and not place[3] and redis.call('EXISTS', KEYS[2]) == 0 then
      local heardWithin, floor, listener, label = string.match(place[2], '^E 1 1 %d+ 0 (%d+) (%d+) (%S+) (.*)$')
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      -- A length that Redis refuses would end the script after the waiter was told.
      local usable = heardWithin and #heardWithin <= 9 and tonumber(heardWithin) >= 1
      local number = usable and now - (tonumber(place[1]) or 0) <= tonumber(heardWithin) and redis.pcall('INCR', KEYS[1])
      local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
      if type(number) == 'number' and number > math.max(tonumber(seen), tonumber(floor)) and number <= 9007199254740991 then
        local drawn = string.format('#%.0f#', number)
        local channel = string.match(KEYS[1], '^(.*)interlock:') .. 'interlock:push:' .. listener
        local told = redis.pcall('PUBLISH', channel, string.sub(drawn, 2) .. heardWithin .. '#' .. owner .. '#' .. lock)
        if type(told) == 'number' and (told > 0 or alone == '0') then
          redis.call('SET', lock, owner .. drawn .. string.format('-#%.0f#', now) .. label, 'PX', heardWithin)
          redis.call('LREM', queue, 1, owner)
          redis.call('HDEL', places, 't:' .. owner, 'c:' .. owner)
          return 1
        end
      end
    end
  end
else
  local values = redis.call('MGET', unpack(KEYS, 3))
  local names, plain = {}, {}
  for i = 1, #values do
    local expected = ARGV[i + 1] .. '#-#'
    names[i] = '{' .. KEYS[i + 2] .. '}:q'
    if values[i] and string.sub(values[i], 1, #expected) == expected then
      plain[#plain + 1] = i
    end
  end
  if #plain == #values and redis.call('EXISTS', unpack(names)) == 0 then
    redis.call('DEL', unpack(KEYS, 3))
    return #values
  end
  for _, i in ipairs(plain) do
    if redis.call('EXISTS', names[i]) == 0 then
      redis.call('DEL', KEYS[i + 2])
      answers[i] = 1
    end
  end
end

local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, mark = KEYS[1], KEYS[2]
seen, alone = tonumber(seen), alone == '1'
--#include record.lua
local function released(lock, owner, number)
  local record = look(lock)
  if not held(record, owner, number) then
    return 0
  end
  if record.mode == 'E' then
    redis.call('DEL', lock, side(lock, 'd'))
  else
    redis.call('HDEL', side(lock, 's'), owner)
  end
  return 1
end

for i = 3, #KEYS do
  local lock = KEYS[i]
  if not answers[i - 2] then
    local owner, number = string.match(ARGV[i - 1], '^(.*)#(%d+)$')
    answers[i - 2] = apart(released, lock, owner, tonumber(number)) or 0
    apart(refreshed, lock, nil, true)
  end
end
return answers
