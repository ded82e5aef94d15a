-- withdraw.lua: ends an attempt's wait for locks and answers what it was granted.
-- KEYS: counter, quarantine mark, locks · ARGV: 'seen alone', owner
-- Answers per lock {number, left}, or {} if the owner does not hold it.
local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, mark = KEYS[1], KEYS[2]
seen, alone = tonumber(seen), alone == '1'
--#include record.lua
local function withdrawn(lock, owner)
  forget(lock, owner)
  local mine = holderOf(refreshed(lock), owner)
  return mine and mine.leaseEnd > now and {mine.number, mine.leaseEnd - now} or {}
end

local answers = {}
for i = 3, #KEYS do
  answers[i - 2] = apart(withdrawn, KEYS[i], ARGV[2]) or {}
end
return answers
