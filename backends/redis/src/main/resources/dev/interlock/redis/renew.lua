-- renew.lua: extends grants, each by itself; never shortens and never revives one.
-- KEYS: quarantine mark, locks · ARGV: whether PEXPIRE knows GT, per lock: owner#number, lease, delay
-- Answers per lock how long the grant lasts now, or -1 expired, -2 replaced, -3 released by force.
local values = redis.call('MGET', unpack(KEYS, 2))
local greater = ARGV[1] == '1'
local answers = {}
local special
for i = 1, #values do
  local name, lease, delay = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local plain = name .. '#-#'
  if delay == '0' and values[i] and string.sub(values[i], 1, #plain) == plain then
    lease = tonumber(lease)
    if greater then
      if redis.call('PEXPIRE', KEYS[i + 1], lease, 'GT') == 0 then
        lease = redis.call('PTTL', KEYS[i + 1])
      end
    else
      local left = redis.call('PTTL', KEYS[i + 1])
      if left < lease then
        redis.call('PEXPIRE', KEYS[i + 1], lease)
      else
        lease = left
      end
    end
    answers[i] = lease
  else
    answers[i] = 0
    special = special or {}
    special[#special + 1] = i
  end
end
if not special then
  return answers
end

local counter, mark, seen, alone = false, KEYS[1], 0, false
--#include record.lua
for _, i in ipairs(special) do
  local lock, name = KEYS[i + 1], ARGV[3 * i - 1]
  local owner, number = string.match(name, '^(.*)#(%d+)$')
  local isString = redis.call('TYPE', lock).ok == 'string'
  local record = isString and look(lock) or {holders = {}}
  local holder = held(record, owner, tonumber(number))
  if holder then
    answers[i] = extend(lock, record, holder, tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]))
  elseif redis.call('HEXISTS', side(lock, 'f'), number) == 1 then
    answers[i] = -3
  else
    local newest = record.holders[#record.holders]
    answers[i] = newest and (newest.mode == 'F' or newest.number > tonumber(number)) and -2 or -1
  end
end
return answers
