-- release.lua: ends grants, each by itself, and hands their locks to the next living waiters.
-- KEYS: counter, quarantine mark, locks · ARGV: 'seen alone', owner#number per lock
-- Answers the number of locks if all were released, else per lock 1 (released) or 0 (not held).
local answers = {}
if not KEYS[4] then
  local lock, expected = KEYS[3], ARGV[2] .. '#-#'
  local value = redis.pcall('GET', lock)
  if type(value) == 'string' and string.sub(value, 1, #expected) == expected and redis.call('EXISTS', '{' .. lock .. '}:q') == 0 then
    redis.call('DEL', lock)
    return 1
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
