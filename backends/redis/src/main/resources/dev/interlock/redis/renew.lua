-- renew.lua: extends grants, each by itself; never shortens and never revives one.
-- KEYS: locks, and nothing else, so that a lock on a slot that is being moved is still renewed · ARGV: whether PEXPIRE knows GT, per lock: owner#number, lease, delay
-- Answers per lock how long the grant lasts now, or -1 expired, -2 replaced, -3 released by force.
local values = redis.call('MGET', unpack(KEYS))
local greater = ARGV[1] == '1'
local answers = {}
local special
for i = 1, #values do
  local name, lease, delay = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local plain = name .. '#-#'
  if delay == '0' and values[i] and string.sub(values[i], 1, #plain) == plain then
    lease = tonumber(lease)
    if greater then
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
    special = special or {}
    special[#special + 1] = i
  end
end
if not special then
  return answers
end

local counter, mark, seen, alone = false, false, 0, false
--#include record.lua
local records = {} -- one look per lock, however many of its holders are renewed
local function renewed(i)
  local lock, name = KEYS[i], ARGV[3 * i - 1]
  local owner, number = string.match(name, '^(.*)#(%d+)$')
  local record = records[lock] or look(lock)
  records[lock] = record
  local holder = held(record, owner, tonumber(number))
  if holder then
    return extend(lock, record, holder, tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]))
  elseif redis.call('HEXISTS', side(lock, 'f'), number) == 1 then
    return -3
  end
  local newest = record.holders[#record.holders]
  return newest and (newest.mode == 'F' or newest.number > tonumber(number)) and -2 or -1
end
for _, i in ipairs(special) do
  answers[i] = apart(renewed, i) or 0 -- not extended, and asked for again
end
return answers
