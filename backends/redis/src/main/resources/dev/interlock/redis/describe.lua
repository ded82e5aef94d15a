-- describe.lua: who holds locks and how many wait for them. Grants nothing.
-- KEYS: quarantine mark, locks · Answers per lock {waiters, holder, …}; a holder's mode F stands for a foreign client.
local counter, mark, seen, alone = false, KEYS[1], 0, false
--#include record.lua
local function countWaiters(lock)
  local count = 0
  for _, owner in ipairs(redis.call('LRANGE', side(lock, 'q'), 0, 9999)) do
    if living(lock, owner) then
      count = count + 1
    end
  end
  return count
end

local function described(lock)
  local answer = {0}
  if redis.call('TYPE', lock).ok == 'string' then
    for _, holder in ipairs(look(lock).holders) do
      answer[#answer + 1] = describe(holder)
    end
  end
  answer[1] = apart(countWaiters, lock) or 0
  return answer
end

local answers = {}
for i = 2, #KEYS do
  answers[i - 1] = apart(described, KEYS[i]) or {0}
end
return answers
