-- take.lua: takes many free locks for as many owners in one call; for times of load.
-- KEYS: counter, quarantine mark, locks · ARGV: seen, rest of the values, per lock: owner, lease
-- Answers per lock its number, or 0 if it was not free: that one is asked for by itself.
local answers = {}
local wanted = #KEYS - 2
if redis.call('EXISTS', KEYS[2]) == 1 then
  for i = 1, wanted do
    answers[i] = 0
  end
  return answers
end
local last = redis.pcall('INCRBY', KEYS[1], wanted)
local usable = type(last) == 'number' and last - wanted >= tonumber(ARGV[1]) and last <= 9007199254740991
for i = 1, wanted do
  local lock = KEYS[i + 2]
  if usable and redis.call('EXISTS', lock, '{' .. lock .. '}:q') == 0 then
    local number = last - wanted + i
    redis.call('SET', lock, ARGV[2 * i + 1] .. string.format('#%.0f', number) .. ARGV[2], 'PX', ARGV[2 * i + 2])
    answers[i] = number
  else
    answers[i] = 0
  end
end
return answers
