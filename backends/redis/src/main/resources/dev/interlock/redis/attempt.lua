-- attempt.lua: acquires locks in order until one is busy, and queues there if asked to.
-- KEYS: counter, quarantine, the claimed locks, the locks that must still be held
-- ARGV: owner, common lease or '', highest number seen, tail of an exclusive value,
--       'singleServer enqueue heartbeatWithin claimCount listener',
--       [without a common lease: a claim per claimed lock], per held lock: owner#number, lease, delay
-- Returns the grant number if every lock was free, otherwise {word, details, …}; see RedisCalls.attempted.
local lease = ARGV[2]
local incrReply
if lease ~= '' then
  local lock = KEYS[3]
  if not KEYS[4] then
    if redis.call('EXISTS', lock, '{' .. lock .. '}:q', KEYS[2]) == 0 then
      local number = redis.pcall('INCR', KEYS[1])
      incrReply = number
      if type(number) == 'number' and number > tonumber(ARGV[3]) and number <= 9007199254740991 then
        redis.call('SET', lock, ARGV[1] .. string.format('#%.0f', number) .. ARGV[4], 'PX', lease)
        return number
      end
    end
  else
    local checkedKeys = {KEYS[2]}
    for i = 3, #KEYS do
      checkedKeys[#checkedKeys + 1] = KEYS[i]
      checkedKeys[#checkedKeys + 1] = '{' .. KEYS[i] .. '}:q'
    end
    if redis.call('EXISTS', unpack(checkedKeys)) == 0 then
      local number = redis.pcall('INCR', KEYS[1])
      incrReply = number
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

-- A server that rejects writes for now, for example because its memory is full, must fail the call here: it checks only
-- the first write of a script, and would allow the later ones. Permanent errors of the counter are reported below.
local code = type(incrReply) == 'table'
  and (string.match(incrReply.err, '^%-?(%u+) ') or string.match(incrReply.err, ': %-(%u+) ')) -- Redis 7.0, 6.2
if code and code ~= 'ERR' and code ~= 'WRONGTYPE' and code ~= 'NOPERM' then
  return redis.call('INCR', KEYS[1])
end

local singleServer, enqueue, heartbeatWithin, claimCount, listener =
  string.match(ARGV[5], '^(%d) (%d) (%d+) (%d+) (.*)$')
local counter, quarantineKey, highestSeen = KEYS[1], KEYS[2], tonumber(ARGV[3])
singleServer, enqueue, claimCount = singleServer == '1', enqueue == '1', tonumber(claimCount)
--#include record.lua
local owner = ARGV[1]
local label = string.match(ARGV[4], '^#%-#%d*#(.*)$')
local hasCommonLease = lease ~= ''
local nextArg = hasCommonLease and 6 or 6 + claimCount

if quarantined then
  return {'quarantined', redis.call('PTTL', quarantineKey)}
end
for i = 3, #KEYS do
  local type = redis.call('TYPE', KEYS[i]).ok
  if type ~= 'string' and type ~= 'none' then
    return {'wrong-type', i - 3, type}
  end
  -- With several locks, check the side keys too: an error halfway through would leave orphaned grants.
  for name, expected in pairs(#KEYS == 3 and {} or {q = 'list', w = 'hash', s = 'hash', d = 'string'}) do
    local found = redis.call('TYPE', sideKey(KEYS[i], name)).ok
    if found ~= expected and found ~= 'none' then
      return {'wrong-type', i - 3, found .. ' in ' .. sideKey(KEYS[i], name)}
    end
  end
end

local toExtend = {}
for i = 3 + claimCount, #KEYS do
  local name, lease, delay = ARGV[nextArg], tonumber(ARGV[nextArg + 1]), tonumber(ARGV[nextArg + 2])
  nextArg = nextArg + 3
  local record = readRecord(KEYS[i])
  local heldOwner, number = string.match(name, '^(.*)#(%d+)$')
  local holder = findGrant(record, heldOwner, tonumber(number))
  if not holder then
    return {'gone', i - 3 - claimCount}
  end
  toExtend[#toExtend + 1] = {KEYS[i], record, holder, lease, delay}
end
for _, renewal in ipairs(toExtend) do
  extend(unpack(renewal))
end

local grants = {}
for i = 1, claimCount do
  local lock = KEYS[2 + i]
  local text = table.concat(
    {hasCommonLease and 'E 1 1 ' .. lease .. ' 0' or ARGV[5 + i], heartbeatWithin, ARGV[3], listener, label}, ' ')
  local claim = parseClaim(text)
  local record = readAndHandOver(lock, owner)
  local own = findHolder(record, owner)
  local head = redis.call('LINDEX', sideKey(lock, 'q'), 0)
  if own and own.leaseEnd > now then
    grants[#grants + 1] = {own.number, own.leaseEnd - now}
  elseif not own and admits(record, claim) and (not head or head == owner) then
    removeWaiter(lock, owner)
    local holder = grant(lock, record, claim, owner, claim.lease, claim.delay)
    grants[#grants + 1] = {holder.number, claim.lease}
  else
    if enqueue then
      if not head then
        redis.call('DEL', sideKey(lock, 'w')) -- without the queue, no waiter has a place
      end
      if redis.call('HSET', sideKey(lock, 'w'), 't:' .. owner, formatInteger(now), 'c:' .. owner, text) > 0 then
        redis.call('RPUSH', sideKey(lock, 'q'), owner)
      end
      redis.call('PEXPIRE', sideKey(lock, 'q'), 2 * claim.heartbeatWithin + 1000)
      redis.call('PEXPIRE', sideKey(lock, 'w'), 2 * claim.heartbeatWithin + 1000)
    end
    local holder = record.holders[1]
    return {
      enqueue and 'queued' or 'busy', grants, recheckIn(record),
      holder and holder.mode ~= 'F' and describeHolder(holder) or false
    }
  end
end
return {'all', grants}
