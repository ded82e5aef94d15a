-- raise-counter.lua: raises the counter to the server's clock, before the first call of a new connection. Whatever data
-- this server has lost, every earlier grant number was below its clock at that time. Closes the server to grants if it
-- may have lost some.
-- KEYS: counter, quarantine · ARGV: milliseconds of quarantine
-- Returns {counter, server's clock in milliseconds}
--#include checked-call.lua
local time = checkedCall('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local number = tonumber(checkedCall('GET', KEYS[1]) or '0')
if number and number > 9007199254740991 then
  error('INTERLOCK ' .. KEYS[1]
    .. ' is above the highest possible grant number, so Interlock did not write it: remove that key', 0)
end
if not number or number < micros then
  number = micros
  checkedCall('SET', KEYS[1], string.format('%.0f', number))
end
if tonumber(ARGV[1]) > 0 then
  checkedCall('SET', KEYS[2], '1', 'PX', ARGV[1], 'NX')
end
return {number, math.floor(micros / 1000)}
