-- take.lua: takes free locks for several attempts in one call, each attempt all of its locks or none; for times of load.
-- KEYS: counter, quarantine mark, the locks of the attempts one after the other
-- ARGV: seen, rest of the values, lease, per attempt: owner, how many locks
-- Answers per attempt its number, or 0 if not everything was free: that one is asked for by itself.
local answers = {}
local attempts = (#ARGV - 3) / 2
local last = redis.call('EXISTS', KEYS[2]) == 0 and redis.pcall('INCRBY', KEYS[1], attempts)
local usable = type(last) == 'number' and last - attempts >= tonumber(ARGV[1]) and last <= 9007199254740991
local at = 3
for i = 1, attempts do
  local locks = tonumber(ARGV[2 * i + 3])
  local free = false
  if usable and locks == 1 then
    free = redis.call('EXISTS', KEYS[at], '{' .. KEYS[at] .. '}:q') == 0
  elseif usable then
    local names = {}
    for k = at, at + locks - 1 do
      names[#names + 1] = KEYS[k]
      names[#names + 1] = '{' .. KEYS[k] .. '}:q'
    end
    free = redis.call('EXISTS', unpack(names)) == 0
  end
  if free then
    local number = last - attempts + i
    local value = ARGV[2 * i + 2] .. string.format('#%.0f', number) .. ARGV[2]
    for k = at, at + locks - 1 do
      redis.call('SET', KEYS[k], value, 'PX', ARGV[3])
    end
    answers[i] = number
  else
    answers[i] = 0
  end
  at = at + locks
end
return answers
