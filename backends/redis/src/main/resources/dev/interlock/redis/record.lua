-- record.lua: how one lock is stored in Redis, and the rules by which it is granted. The other scripts include it
-- after their fast paths, because defining these functions costs more than acquiring a free lock.
--
--   <lock>      string  the lock itself: owner#number#kind#since#label, shared:<generation> or permits:<generation>;
--                       any other value belongs to a foreign client
--   {<lock>}:d  string  owner#number while the lease lasts; only for kind D, whose plain key outlives the lease by the
--                       lock-delay
--   {<lock>}:s  hash    shared or permit holders: @ = generation,
--                       owner = number#leaseEnd#recordEnd#permits#since#label
--   {<lock>}:q  list    owners of the waiters, in the order of arrival
--   {<lock>}:w  hash    per waiter: t:owner = time of the last heartbeat, c:owner = its claim,
--                       p:owner = when it was skipped
--   {<lock>}:f  hash    numbers of grants that were released by force, for as long as their owners may renew
--
-- The including script defines: counter and quarantineKey (key names), highestSeen (a number), and singleServer
-- (whether the reply of PUBLISH counts all subscribers).
local MAX_NUMBER = 9007199254740991
local MAX_EXAMINED = 64
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)
local quarantined = quarantineKey and redis.call('EXISTS', quarantineKey) == 1

--#include checked-call.lua
local function sideKey(lock, name)
  return '{' .. lock .. '}:' .. name
end

local function formatInteger(number)
  return string.format('%.0f', number) -- the operator .. would round to 14 digits
end

-- The push channel of a process. Its prefix is that of the counter, a key that every script has.
local function channelOf(listener)
  return string.match(counter, '^(.*)interlock:') .. 'interlock:push:' .. listener
end

-- Limits a number to what a reply can carry. A larger number, which only a foreign client can have written, would
-- arrive as a negative one.
local function clamp(number)
  return math.max(0, math.min(number, MAX_NUMBER))
end

-- Runs the step of one lock in a batch. Returns nil if a key of the lock has the wrong type: what a foreign client has
-- written there must not affect the other locks.
local function isolated(step, ...)
  local done, answer = pcall(step, ...)
  if not done
    and not string.find(type(answer) == 'table' and answer.err or tostring(answer), 'WRONGTYPE', 1, true) then
    error(answer, 0)
  end
  return done and answer or nil
end

-- The next grant number. A counter that is not above the highest number that the client has seen was lost or set back,
-- so it is raised to the clock.
local function nextNumber(above)
  local floor = math.max(highestSeen, above)
  local number = checkedCall('INCR', counter)
  if number <= floor then
    number = math.max(floor, micros) + 1
    redis.call('SET', counter, formatInteger(number))
  end
  if number > MAX_NUMBER then
    error('INTERLOCK ' .. counter
      .. ' is above the highest possible grant number, so Interlock did not write it: remove that key', 0)
  end
  return number
end

local function parseClaim(text)
  local mode, permits, capacity, lease, delay, heartbeatWithin, floor, listener, label =
    string.match(text, '^([ESP]) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  return mode and {
    mode = mode, permits = tonumber(permits), capacity = tonumber(capacity), lease = tonumber(lease),
    delay = tonumber(delay), heartbeatWithin = tonumber(heartbeatWithin), floor = tonumber(floor), listener = listener,
    label = label
  }
end

-- Reads the shared or permit holders into the record and removes those past their end. The plain key then expires with
-- the last of the others.
local function readHolders(lock, record, shorten)
  local key = sideKey(lock, 's')
  local fields = redis.call('HGETALL', key)
  local dropped, latest = false, 0
  for i = 1, #fields, 2 do
    local number, leaseEnd, recordEnd, permits, since, label =
      string.match(fields[i + 1], '^(%d+)#(%d+)#(%d+)#(%d+)#(%d+)#(.*)$')
    if number and tonumber(recordEnd) > now then
      latest = math.max(latest, tonumber(recordEnd))
      record.permits = record.permits + tonumber(permits)
      table.insert(record.holders, {
        owner = fields[i], number = tonumber(number), leaseEnd = tonumber(leaseEnd), recordEnd = tonumber(recordEnd),
        permits = tonumber(permits), mode = record.mode, since = tonumber(since), label = label
      })
    elseif fields[i] ~= '@' then
      redis.call('HDEL', key, fields[i])
      dropped = true
    end
  end
  if #record.holders == 0 then
    redis.call('DEL', lock, key)
    record.mode = nil
  elseif dropped or shorten then
    redis.call('PEXPIRE', lock, latest - now)
  end
  table.sort(record.holders, function(a, b) return a.number < b.number end)
  return record
end

-- Reads the holders of a lock. The mode is nil (free), E, S, P, or F for the value of a foreign client.
local function readRecord(lock, shorten)
  local record = {holders = {}, permits = 0}
  local value = redis.pcall('GET', lock)
  if not value then
    return record
  end
  if type(value) ~= 'string' then
    value = '' -- a key of another type: treated like the value of a foreign client
    record.wrongType = true
  end
  local owner, number, kind, since, label = string.match(value, '^([^#]+/%-?%d+)#(%d+)#([-D])#(%d*)#(.*)$')
  if owner then
    local left = redis.call('PTTL', lock)
    local leaseLeft = left
    if kind == 'D' then
      local leased = redis.call('GET', sideKey(lock, 'd')) == owner .. '#' .. number
      leaseLeft = leased and redis.call('PTTL', sideKey(lock, 'd')) or 0
    end
    record.mode = 'E'
    record.permits = 1
    record.holders[1] = {
      owner = owner, number = tonumber(number), kind = kind, leaseEnd = now + leaseLeft, recordEnd = now + left,
      permits = 1, mode = 'E', since = tonumber(since) or now, label = label
    }
    return record
  end
  local word, generation = string.match(value, '^(%a+):(%d+)$')
  local mode = word == 'shared' and 'S' or word == 'permits' and 'P' or nil
  if mode and redis.call('HGET', sideKey(lock, 's'), '@') == generation then
    record.mode = mode
    return readHolders(lock, record, shorten)
  end
  record.mode = 'F'
  local left = redis.call('PTTL', lock)
  record.holders[1] = {
    owner = '', number = 0, leaseEnd = now + left, recordEnd = now + left, permits = 1, mode = 'F', since = now,
    label = ''
  }
  return record
end

local function findHolder(record, owner)
  for _, holder in ipairs(record.holders) do
    if holder.owner == owner then
      return holder
    end
  end
end

-- The holder of a grant, which owner and number identify together. Nil during a lock-delay.
local function findGrant(record, owner, number)
  local holder = findHolder(record, owner)
  return holder and holder.number == number and holder.leaseEnd > now and holder or nil
end

local function admits(record, claim)
  if not record.mode then
    return true
  end
  if claim.mode == 'E' or claim.mode ~= record.mode then
    return false
  end
  return claim.mode == 'S' or record.permits + claim.permits <= claim.capacity
end

local function writeSharedHolder(lock, holder)
  local key = sideKey(lock, 's')
  redis.call('HSET', key, holder.owner, table.concat({
    formatInteger(holder.number), formatInteger(holder.leaseEnd), formatInteger(holder.recordEnd),
    formatInteger(holder.permits), formatInteger(holder.since), holder.label
  }, '#'))
  local left = math.max(holder.recordEnd - now, redis.call('PTTL', lock))
  redis.call('PEXPIRE', lock, left)
  redis.call('PEXPIRE', key, left + 1000) -- longer, so that the plain key never outlives its holders
end

-- Writes the plain key of an exclusive holder. If the key outlives the lease, writes the lease beside it.
local function writeExclusiveHolder(lock, holder)
  local name = holder.owner .. '#' .. formatInteger(holder.number)
  redis.call('SET', lock, name .. '#' .. holder.kind .. '#' .. formatInteger(holder.since) .. '#' .. holder.label,
    'PX', holder.recordEnd - now)
  if holder.kind == 'D' then
    redis.call('SET', sideKey(lock, 'd'), name, 'PX', holder.leaseEnd - now)
  end
end

-- Grants a claim that the record admits.
local function grant(lock, record, claim, owner, lease, delay)
  local holder = {
    owner = owner, number = claim.number or nextNumber(claim.floor), leaseEnd = now + lease,
    recordEnd = now + lease + delay, permits = claim.permits, mode = claim.mode, kind = claim.delay > 0 and 'D' or '-',
    since = now, label = claim.label
  }
  if claim.mode == 'E' then
    writeExclusiveHolder(lock, holder)
  else
    if not record.mode then
      local generation = formatInteger(holder.number)
      redis.call('DEL', sideKey(lock, 's'))
      redis.call('HSET', sideKey(lock, 's'), '@', generation)
      redis.call('SET', lock, (claim.mode == 'S' and 'shared:' or 'permits:') .. generation, 'PX', lease + delay)
    end
    writeSharedHolder(lock, holder)
  end
  record.mode = claim.mode
  record.permits = record.permits + claim.permits
  table.insert(record.holders, holder)
  return holder
end

local function removeWaiter(lock, owner)
  if redis.call('LREM', sideKey(lock, 'q'), 1, owner) > 0 then
    redis.call('HDEL', sideKey(lock, 'w'), 't:' .. owner, 'c:' .. owner, 'p:' .. owner)
  end
end

-- The claim of a live waiter; nil if its last heartbeat is too old, or if it has no queue place.
local function liveClaim(lock, owner)
  local lastHeartbeat, text, skippedAt =
    unpack(redis.call('HMGET', sideKey(lock, 'w'), 't:' .. owner, 'c:' .. owner, 'p:' .. owner))
  local claim = text and parseClaim(text)
  -- A duration that Redis rejects would abort the script after the waiter was notified.
  if not claim or claim.heartbeatWithin < 1 or claim.heartbeatWithin > 999999999
    or not lastHeartbeat or now - (tonumber(lastHeartbeat) or 0) > claim.heartbeatWithin then
    return nil
  end
  claim.isUnreachable = skippedAt and (tonumber(skippedAt) or 0) < tonumber(lastHeartbeat)
  claim.wasSkipped = skippedAt
  return claim
end

-- Grants what is free to the first live waiters and notifies them. The caller of this script is not notified, since it
-- reads the reply. Where PUBLISH counts all subscribers, a waiter whose process is not subscribed is skipped but keeps
-- its place: its next heartbeat takes the lock. A waiter that was skipped and has sent a heartbeat since is alive and
-- only unreachable by push: it is granted the lock in its turn, or it would starve.
local function handOver(lock, record, caller)
  if quarantined then
    return
  end
  local position = 0
  for _ = 1, MAX_EXAMINED do
    local owner = redis.call('LINDEX', sideKey(lock, 'q'), position)
    if not owner then
      return
    end
    local claim = liveClaim(lock, owner)
    if not claim then
      removeWaiter(lock, owner)
    elseif not admits(record, claim) or findHolder(record, owner) then
      return
    else
      claim.number = nextNumber(claim.floor)
      local receivers = 1
      if owner ~= caller then
        local message =
          formatInteger(claim.number) .. '#' .. formatInteger(claim.heartbeatWithin) .. '#' .. owner .. '#' .. lock
        receivers = redis.pcall('PUBLISH', channelOf(claim.listener), message)
      end
      if receivers == 0 and singleServer and not claim.isUnreachable then
        if not claim.wasSkipped then
          redis.call('HSET', sideKey(lock, 'w'), 'p:' .. owner, formatInteger(now))
        end
        position = position + 1
      else
        grant(lock, record, claim, owner, claim.heartbeatWithin, 0)
        removeWaiter(lock, owner)
      end
    end
  end
end

local function readAndHandOver(lock, caller, shorten)
  local record = readRecord(lock, shorten)
  handOver(lock, record, caller)
  return record
end

-- After how many milliseconds polling again may succeed. A foreign client sends no push when it releases, so waiters
-- poll its locks often. The same holds for a lock without an expiry: whatever it looks like, a foreign client wrote it.
local function recheckIn(record)
  local first = math.huge
  for _, holder in ipairs(record.holders) do
    first = math.min(first, holder.recordEnd - now)
  end
  if record.mode == 'F' or first < 0 then
    return 50
  end
  return first == math.huge and 0 or clamp(first)
end

local function extend(lock, record, holder, lease, delay)
  holder.leaseEnd = math.max(holder.leaseEnd, now + lease)
  holder.recordEnd = math.max(holder.recordEnd, now + lease + delay)
  if record.mode == 'E' then
    if delay > 0 then
      holder.kind = 'D'
    end
    writeExclusiveHolder(lock, holder)
  else
    writeSharedHolder(lock, holder)
  end
  return holder.leaseEnd - now
end

local function describeHolder(holder)
  return {
    holder.owner, holder.label, holder.mode, clamp(holder.permits), clamp(holder.number), clamp(now - holder.since),
    clamp(holder.leaseEnd - now)
  }
end
