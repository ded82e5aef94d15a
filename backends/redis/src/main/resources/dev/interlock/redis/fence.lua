-- fence.lua: refuses a token that is older than the newest seen, else remembers it and does the write, in one step.
-- KEYS: fence, the keys of the write · ARGV: token in 19 digits, owner, whether to remember, [command, arguments after its keys]
-- Answers {1, the command's reply}, or {0, newest token} if the token is refused. Tokens are compared as text: Lua's numbers have 53 bits.
local owner = redis.sha1hex(ARGV[2]) -- whoever can read this must not be able to release the lock
local seen = redis.call('HMGET', KEYS[1], 'token', 'owner')
if seen[1] and (seen[1] > ARGV[1] or (seen[1] == ARGV[1] and seen[2] ~= owner)) then
  return {0, seen[1]}
end
if ARGV[3] == '1' and seen[1] ~= ARGV[1] then
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
