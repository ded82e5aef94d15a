-- agreement.lua: compares and sets the namespace agreement.
-- KEYS: agreement · ARGV: expected, proposed · Returns what is stored now.
--#include checked-call.lua
local stored = checkedCall('GET', KEYS[1]) or ''
if stored == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2])
  return ARGV[2]
end
return stored
