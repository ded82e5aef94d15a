-- fence.lua: rejects a token below the highest one seen; otherwise stores it and runs the write, in one atomic step.
-- KEYS: fence, the keys of the write
-- ARGV: token in 19 digits, owner, whether to store the token, [command, arguments after its keys]
-- Returns {1, the command's reply}, or {0, highest token} if the token is rejected. Tokens are compared as strings,
-- because Lua's numbers have only 53 bits.
local owner = redis.sha1hex(ARGV[2]) -- hashed, so that a client that can read the fence cannot release the lock
local stored = redis.call('HMGET', KEYS[1], 'token', 'owner')
if stored[1] and (stored[1] > ARGV[1] or (stored[1] == ARGV[1] and stored[2] ~= owner)) then
  return {0, stored[1]}
end
if ARGV[3] == '1' and stored[1] ~= ARGV[1] then
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', owner)
end
if not ARGV[4] then
  return {1}
end
local command = {ARGV[4]}
for i = 2, #KEYS do
  command[#command + 1] = KEYS[i]
end
for i = 5, #ARGV do
  command[#command + 1] = ARGV[i]
end
return {1, redis.call(unpack(command))}
