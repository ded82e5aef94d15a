-- terms.lua: compares and sets the namespace's terms. KEYS: terms · ARGV: expected, proposed · Answers what is stored now.
--#include ask.lua
local stored = ask('GET', KEYS[1]) or ''
if stored == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2])
  return ARGV[2]
end
return stored
