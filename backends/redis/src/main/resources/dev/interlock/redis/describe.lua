-- describe.lua: returns the holders and the number of waiters of locks. Grants nothing.
-- KEYS: quarantine, locks
-- Returns per lock {waiters, holder, …}. The mode F of a holder stands for a foreign client.
local counter, quarantineKey, highestSeen, singleServer = false, KEYS[1], 0, false
--#include record.lua
local function countWaiters(lock)
  local count = 0
  for _, owner in ipairs(redis.call('LRANGE', sideKey(lock, 'q'), 0, 9999)) do
    if liveClaim(lock, owner) then
      count = count + 1
    end
  end
  return count
end

local function describeLock(lock)
  local answer = {0}
  if redis.call('TYPE', lock).ok == 'string' then
    for _, holder in ipairs(readRecord(lock).holders) do
      answer[#answer + 1] = describeHolder(holder)
    end
  end
  answer[1] = isolated(countWaiters, lock) or 0
  return answer
end

local answers = {}
for i = 2, #KEYS do
  answers[i - 1] = isolated(describeLock, KEYS[i]) or {0}
end
return answers
