-- attempt-batch.lua: acquires free locks for several attempts. Each attempt gets all of its locks or none.
-- KEYS: counter, quarantine, the locks of each attempt in turn
-- ARGV: highest number seen, tail of the values, lease, per attempt: owner, number of locks
-- Returns per attempt its grant number, or 0 if its locks were not all free; the client then sends that attempt alone.
local answers = {}
local attempts = (#ARGV - 3) / 2
local last = redis.call('EXISTS', KEYS[2]) == 0 and redis.pcall('INCRBY', KEYS[1], attempts)
local usable = type(last) == 'number' and last - attempts >= tonumber(ARGV[1]) and last <= 9007199254740991
local nextKey = 3
for i = 1, attempts do
  local locks = tonumber(ARGV[2 * i + 3])
  local free = false
  if usable and locks == 1 then
    free = redis.call('EXISTS', KEYS[nextKey], '{' .. KEYS[nextKey] .. '}:q') == 0
  elseif usable then
    local checkedKeys = {}
    for k = nextKey, nextKey + locks - 1 do
      checkedKeys[#checkedKeys + 1] = KEYS[k]
      checkedKeys[#checkedKeys + 1] = '{' .. KEYS[k] .. '}:q'
    end
    free = redis.call('EXISTS', unpack(checkedKeys)) == 0
  end
  if free then
    local number = last - attempts + i
    local value = ARGV[2 * i + 2] .. string.format('#%.0f', number) .. ARGV[2]
    for k = nextKey, nextKey + locks - 1 do
      redis.call('SET', KEYS[k], value, 'PX', ARGV[3])
    end
    answers[i] = number
  else
    answers[i] = 0
  end
  nextKey = nextKey + locks
end
return answers
