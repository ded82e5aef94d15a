-- raise.lua: raises the counter to the server's clock, before anything else is done over a new connection: whatever this server may have
-- forgotten, numbers given out earlier were below its clock of then. Closes the server to grants if it has just lost its memory.
-- KEYS: counter, quarantine mark · ARGV: milliseconds of quarantine
-- Answers {counter, server's clock in milliseconds}
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local number = tonumber(redis.call('GET', KEYS[1]) or '0')
if not number or number < micros then
  number = micros
  redis.call('SET', KEYS[1], string.format('%.0f', number))
end
if tonumber(ARGV[1]) > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[1], 'NX')
end
return {number, math.floor(micros / 1000)}
