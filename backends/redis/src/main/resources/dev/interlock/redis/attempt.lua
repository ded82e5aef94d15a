-- attempt.lua: takes locks in order, as many as can be had, and queues at the first busy one.
-- KEYS: counter, quarantine mark, the wanted locks, the locks that must still be held
-- ARGV: owner, common lease or '', seen, rest of an exclusive value, 'alone enqueue heardWithin wanted listener',
--       [if there is no common lease: a claim per wanted lock], per held lock: owner#number, lease, delay
-- Answers the number if everything was free, else {code, grants, …}; see Answers.
local lease = ARGV[2]
local drawn
if lease ~= '' then
  local lock = KEYS[3]
  if not KEYS[4] then
    if redis.call('EXISTS', lock, '{' .. lock .. '}:q', KEYS[2]) == 0 then
      local number = redis.pcall('INCR', KEYS[1])
      drawn = number
      if type(number) == 'number' and number > tonumber(ARGV[3]) and number <= 9007199254740991 then
        redis.call('SET', lock, ARGV[1] .. string.format('#%.0f', number) .. ARGV[4], 'PX', lease)
        return number
      end
    end
  else
    local names = {KEYS[2]}
    for i = 3, #KEYS do
      names[#names + 1] = KEYS[i]
      names[#names + 1] = '{' .. KEYS[i] .. '}:q'
    end
    if redis.call('EXISTS', unpack(names)) == 0 then
      local number = redis.pcall('INCR', KEYS[1])
      drawn = number
      if type(number) == 'number' and number > tonumber(ARGV[3]) and number <= 9007199254740991 then
        local value = ARGV[1] .. string.format('#%.0f', number) .. ARGV[4]
        for i = 3, #KEYS do
          redis.call('SET', KEYS[i], value, 'PX', lease)
        end
        return number
      end
    end
  end
end

-- A server that does not write now, for example because its memory is full, must not be talked into it: once a script has written
-- anything, the server lets it go on. What is wrong with the counter for good is named below.
local code = type(drawn) == 'table' and (string.match(drawn.err, '^%-?(%u+) ') or string.match(drawn.err, ': %-(%u+) ')) -- 7.0, 6.2
if code and code ~= 'ERR' and code ~= 'WRONGTYPE' and code ~= 'NOPERM' then
  return redis.call('INCR', KEYS[1])
end

local alone, enqueue, heardWithin, wanted, listener = string.match(ARGV[5], '^(%d) (%d) (%d+) (%d+) (.*)$')
local counter, mark, seen = KEYS[1], KEYS[2], tonumber(ARGV[3])
alone, enqueue, wanted = alone == '1', enqueue == '1', tonumber(wanted)
--#include record.lua
local owner = ARGV[1]
local label = string.match(ARGV[4], '^#%-#%d*#(.*)$')
local common = lease ~= ''
local nextArg = common and 6 or 6 + wanted

if quarantined then
  return {'quarantined', redis.call('PTTL', mark)}
end
for i = 3, #KEYS do
  local type = redis.call('TYPE', KEYS[i]).ok
  if type ~= 'string' and type ~= 'none' then
    return {'alien', i - 3, type}
  end
  -- Of several their side keys too: an error halfway through would leave grants that nobody knows of.
  for name, expected in pairs(#KEYS == 3 and {} or {q = 'list', w = 'hash', s = 'hash', d = 'string'}) do
    local found = redis.call('TYPE', side(KEYS[i], name)).ok
    if found ~= expected and found ~= 'none' then
      return {'alien', i - 3, found .. ' in ' .. side(KEYS[i], name)}
    end
  end
end

local keep = {}
for i = 3 + wanted, #KEYS do
  local name, lease, delay = ARGV[nextArg], tonumber(ARGV[nextArg + 1]), tonumber(ARGV[nextArg + 2])
  nextArg = nextArg + 3
  local record = look(KEYS[i])
  local heldOwner, number = string.match(name, '^(.*)#(%d+)$')
  local holder = held(record, heldOwner, tonumber(number))
  if not holder then
    return {'gone', i - 3 - wanted}
  end
  keep[#keep + 1] = {KEYS[i], record, holder, lease, delay}
end
for _, it in ipairs(keep) do
  extend(unpack(it))
end

local grants = {}
for i = 1, wanted do
  local lock = KEYS[2 + i]
  local text = table.concat({common and 'E 1 1 ' .. lease .. ' 0' or ARGV[5 + i], heardWithin, ARGV[3], listener, label}, ' ')
  local claim = parseClaim(text)
  local record = refreshed(lock, owner)
  local mine = holderOf(record, owner)
  local head = redis.call('LINDEX', side(lock, 'q'), 0)
  if mine and mine.leaseEnd > now then
    grants[#grants + 1] = {mine.number, mine.leaseEnd - now}
  elseif not mine and admits(record, claim) and (not head or head == owner) then
    forget(lock, owner)
    local holder = grant(lock, record, claim, owner, claim.lease, claim.delay)
    grants[#grants + 1] = {holder.number, claim.lease}
  else
    if enqueue then
      if not head then
        redis.call('DEL', side(lock, 'w')) -- without the queue nobody has a place
      end
      if redis.call('HSET', side(lock, 'w'), 't:' .. owner, whole(now), 'c:' .. owner, text) > 0 then
        redis.call('RPUSH', side(lock, 'q'), owner)
      end
      redis.call('PEXPIRE', side(lock, 'q'), 2 * claim.heardWithin + 1000)
      redis.call('PEXPIRE', side(lock, 'w'), 2 * claim.heardWithin + 1000)
    end
    local holder = record.holders[1]
    return {enqueue and 'queued' or 'busy', grants, recheckIn(record), holder and holder.mode ~= 'F' and describe(holder) or false}
  end
end
return {'all', grants}
