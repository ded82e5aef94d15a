-- raise.lua: raises the counter to the server's clock, before anything else is done over a new connection: whatever this server may have
-- forgotten, numbers given out earlier were below its clock of then. Closes the server to grants if it has just lost its memory.
-- KEYS: counter, quarantine mark · ARGV: milliseconds of quarantine
-- Answers {counter, server's clock in milliseconds}
--#include ask.lua
local time = ask('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local number = tonumber(ask('GET', KEYS[1]) or '0')
if number and number > 9007199254740991 then
  error('INTERLOCK ' .. KEYS[1] .. ' is beyond the largest number, which no grant has reached: remove that key', 0)
end
if not number or number < micros then
  number = micros
  ask('SET', KEYS[1], string.format('%.0f', number))
end
if tonumber(ARGV[1]) > 0 then
  ask('SET', KEYS[2], '1', 'PX', ARGV[1], 'NX')
end
return {number, math.floor(micros / 1000)}
