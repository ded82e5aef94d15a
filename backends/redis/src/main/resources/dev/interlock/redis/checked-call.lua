-- checked-call.lua: runs a command and, if it fails permanently, raises an error that names the command and the key,
-- because the server's error names neither. All other errors are raised unchanged. Included by other scripts.
local function checkedCall(...)
  local reply = redis.pcall(...)
  local message = type(reply) == 'table' and reply.err
  if not message then
    return reply
  end
  for _, permanent in ipairs({
    'WRONGTYPE', 'not an integer', 'overflow', 'user executing the script', 'NOPERM', 'ACL failure'
  }) do
    if string.find(message, permanent, 1, true) then
      error('INTERLOCK ' .. select(1, ...) .. ' ' .. (select(2, ...) or '') .. ': ' .. message, 0)
    end
  end
  return redis.call(...)
end
