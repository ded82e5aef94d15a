-- release.lua: ends grants, each by itself, and hands their locks to the next living waiters.
-- KEYS: counter, quarantine mark, locks · ARGV: seen, alone, owner#number per lock
-- Answers the number of locks if all were released, else per lock 1 (released) or 0 (not held).
local values, names = nil, {}
if #KEYS == 3 then
  local value = redis.pcall('GET', KEYS[3])
  values = {value}
  names[1] = '{' .. KEYS[3] .. '}:q'
else
  values = redis.call('MGET', unpack(KEYS, 3))
  for i = 3, #KEYS do
    names[i - 2] = '{' .. KEYS[i] .. '}:q'
  end
end
local plain = true
for i = 1, #values do
  local expected = ARGV[i + 2] .. '#-#'
  if type(values[i]) ~= 'string' or string.sub(values[i], 1, #expected) ~= expected then
    plain = false
  end
end
if plain and redis.call('EXISTS', unpack(names)) == 0 then
  redis.call('DEL', unpack(KEYS, 3))
  return #values
end

local counter, mark, seen, alone = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2] == '1'
--#include record.lua
local answers = {}
for i = 3, #KEYS do
  local lock = KEYS[i]
  answers[i - 2] = 0
  if redis.call('TYPE', lock).ok == 'string' then
    local owner, number = string.match(ARGV[i], '^(.*)#(%d+)$')
    local record = look(lock)
    if held(record, owner, tonumber(number)) then
      answers[i - 2] = 1
      if record.mode == 'E' then
        redis.call('DEL', lock, side(lock, 'd'))
      else
        redis.call('HDEL', side(lock, 's'), owner)
      end
    end
  end
  if redis.call('EXISTS', side(lock, 'q')) == 1 or answers[i - 2] == 1 then
    refreshed(lock)
  end
end
return answers
