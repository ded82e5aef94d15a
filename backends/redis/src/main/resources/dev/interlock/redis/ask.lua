-- ask.lua: a call whose refusal names the command and the key, since the server names neither. Included by other scripts.
-- Only what asking again does not help against; all other errors are the server's own.
local function ask(...)
  local reply = redis.pcall(...)
  local why = type(reply) == 'table' and reply.err
  if not why then
    return reply
  end
  for _, lasting in ipairs({'WRONGTYPE', 'not an integer', 'overflow', 'user executing the script', 'NOPERM', 'ACL failure'}) do
    if string.find(why, lasting, 1, true) then
      error('INTERLOCK ' .. select(1, ...) .. ' ' .. (select(2, ...) or '') .. ': ' .. why, 0)
    end
  end
  return redis.call(...)
end
