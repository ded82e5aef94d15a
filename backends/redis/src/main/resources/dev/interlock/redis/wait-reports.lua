-- wait-reports.lua: writes and removes wait reports of one process, and returns those of all processes.
-- KEYS: the wait reports, a hash of id = expiresAt#text
-- ARGV: how long to keep reports, 1 to read, number of reports to write, id and text of each, ids to remove
-- Returns id, text, id, text, …; nothing unless asked to read. Removes expired reports.
--#include checked-call.lua
local reports = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local keepMillis, writtenCount = tonumber(ARGV[1]), tonumber(ARGV[3])
for i = 4 + 2 * writtenCount, #ARGV do
  checkedCall('HDEL', reports, ARGV[i])
end
for i = 4, 2 + 2 * writtenCount, 2 do
  checkedCall('HSET', reports, ARGV[i], string.format('%.0f', now + keepMillis) .. '#' .. ARGV[i + 1])
end
-- Reports of another process may be kept longer.
if writtenCount > 0 and redis.call('PTTL', reports) < keepMillis then
  redis.call('PEXPIRE', reports, keepMillis)
end
local answer = {}
if ARGV[2] == '1' then
  local all = checkedCall('HGETALL', reports)
  for i = 1, #all, 2 do
    local expiresAt, text = string.match(all[i + 1], '^(%d+)#(.*)$')
    if expiresAt and tonumber(expiresAt) > now then
      answer[#answer + 1] = all[i]
      answer[#answer + 1] = text
    else
      redis.call('HDEL', reports, all[i])
    end
  end
end
return answer
