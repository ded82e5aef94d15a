-- withdraw.lua: ends an attempt's wait for locks and answers what it was granted.
-- KEYS: counter, quarantine mark, locks · ARGV: seen, alone, owner
-- Answers per lock {number, left}, or {} if the owner does not hold it.
local counter, mark, seen, alone = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2] == '1'
--#include record.lua
local answers = {}
for i = 3, #KEYS do
  forget(KEYS[i], ARGV[3])
  local mine = holderOf(refreshed(KEYS[i]), ARGV[3])
  answers[i - 2] = mine and mine.leaseEnd > now and {mine.number, mine.leaseEnd - now} or {}
end
return answers
