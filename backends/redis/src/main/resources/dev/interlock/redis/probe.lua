-- probe.lua: tries every command that the scripts use, on keys that no lock can have.
-- KEYS: prefix of the scratch keys · ARGV: channel · Returns the error of each command that the server refused.
local text, list, hash = KEYS[1] .. 'a', KEYS[1] .. 'b', KEYS[1] .. 'c'
local commands = {
  {'TIME'}, {'DEL', text, list, hash}, {'SET', text, '1', 'PX', '1000'}, {'GET', text}, {'INCR', text},
  {'INCRBY', text, '1'}, {'EXISTS', text}, {'PTTL', text}, {'PEXPIRE', text, '1000'}, {'MGET', text}, {'TYPE', text},
  {'RPUSH', list, '1'}, {'LINDEX', list, '0'}, {'LRANGE', list, '0', '0'}, {'LREM', list, '1', '1'},
  {'HSET', hash, 'a', '1'}, {'HGET', hash, 'a'}, {'HMGET', hash, 'a'}, {'HGETALL', hash}, {'HEXISTS', hash, 'a'},
  {'HDEL', hash, 'a'}, {'DEL', text, list, hash}
}
local refused = {}
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then
    refused[#refused + 1] = command[1] .. ': ' .. reply.err
  end
end
local reply = redis.pcall('PUBLISH', ARGV[1], '')
if type(reply) == 'table' and reply.err then
  refused[#refused + 1] = 'PUBLISH: ' .. reply.err
end
return refused
