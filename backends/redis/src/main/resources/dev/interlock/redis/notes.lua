-- notes.lua: writes and removes notes about waits, and answers everybody's.
-- KEYS: notes, a hash of id = until#text · ARGV: how long to keep, 1 to read, how many are written, id and text of each, ids to remove
-- Answers id, text, id, text, …; empty if it does not read. What is over its time is removed.
--#include ask.lua
local notes = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kept, written = tonumber(ARGV[1]), tonumber(ARGV[3])
for i = 4 + 2 * written, #ARGV do
  ask('HDEL', notes, ARGV[i])
end
for i = 4, 2 + 2 * written, 2 do
  ask('HSET', notes, ARGV[i], string.format('%.0f', now + kept) .. '#' .. ARGV[i + 1])
end
-- Notes of another process may be kept longer.
if written > 0 and redis.call('PTTL', notes) < kept then
  redis.call('PEXPIRE', notes, kept)
end
local answer = {}
if ARGV[2] == '1' then
  local all = ask('HGETALL', notes)
  for i = 1, #all, 2 do
    local till, text = string.match(all[i + 1], '^(%d+)#(.*)$')
    if till and tonumber(till) > now then
      answer[#answer + 1] = all[i]
      answer[#answer + 1] = text
    else
      redis.call('HDEL', notes, all[i])
    end
  end
end
return answer
