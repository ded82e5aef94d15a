-- record.lua: what one lock looks like in Redis, and the rules by which it is granted. Included by the other scripts after their fast
-- paths, because defining functions costs more than taking a free lock does.
--
--   <lock>        string  the lock itself: owner#number#kind#since#label, or shared:<generation>, or permits:<generation>,
--                         or anything else, which is a foreign client's
--   {<lock>}:d    string  owner#number while the lease lasts; only for kind D, whose plain key outlives its lease by the lock-delay
--   {<lock>}:s    hash    the shared or permit holders: @ = generation, owner = number#leaseEnd#recordEnd#permits#since#label
--   {<lock>}:q    list    the waiting owners, first come first
--   {<lock>}:w    hash    per waiter: t:owner = when it was last heard of, c:owner = what it claims, p:owner = when it was passed over
--   {<lock>}:f    hash    numbers of grants that were released by force, for as long as their owners may ask
--
-- Before inclusion: counter, mark (key names), seen (number), alone (whether PUBLISH counts every subscriber).
local MAX_NUMBER = 9007199254740991
local MOST_SKIPPED = 64
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)
local quarantined = mark and redis.call('EXISTS', mark) == 1

--#include ask.lua
local function side(lock, name)
  return '{' .. lock .. '}:' .. name
end

local function whole(number)
  return string.format('%.0f', number) -- .. would round to 14 digits
end

-- The channel of a listening process; named like the counter, which every script has.
local function channelOf(listener)
  return string.match(counter, '^(.*)interlock:') .. 'interlock:push:' .. listener
end

-- What an answer can carry: larger numbers, which somebody else must have written, would arrive as negative ones.
local function bounded(number)
  return math.max(0, math.min(number, MAX_NUMBER))
end

-- Does one lock's share of a batch. What somebody else has put at its keys must not cost the other locks; answers nil then.
local function apart(step, ...)
  local done, answer = pcall(step, ...)
  if not done and not string.find(type(answer) == 'table' and answer.err or tostring(answer), 'WRONGTYPE', 1, true) then
    error(answer, 0)
  end
  return done and answer or nil
end

-- The next grant number. A counter that is not above what the caller has seen has been lost or set back, so it is raised to the clock.
local function draw(above)
  local floor = math.max(seen, above)
  local number = ask('INCR', counter)
  if number <= floor then
    number = math.max(floor, micros) + 1
    redis.call('SET', counter, whole(number))
  end
  if number > MAX_NUMBER then
    error('INTERLOCK ' .. counter .. ' is beyond the largest number, which no grant has reached: remove that key', 0)
  end
  return number
end

local function parseClaim(text)
  local mode, permits, capacity, lease, delay, heardWithin, floor, listener, label =
    string.match(text, '^([ESP]) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  return mode and {
    mode = mode, permits = tonumber(permits), capacity = tonumber(capacity), lease = tonumber(lease), delay = tonumber(delay),
    heardWithin = tonumber(heardWithin), floor = tonumber(floor), listener = listener, label = label
  }
end

-- Drops shared or permit holders past their end; keeps the plain key as long as the last of the others.
local function crowdOf(lock, record, trim)
  local key = side(lock, 's')
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
  elseif dropped or trim then
    redis.call('PEXPIRE', lock, latest - now)
  end
  table.sort(record.holders, function(a, b) return a.number < b.number end)
  return record
end

-- Who holds the lock: mode is nil (free), E, S, P, or F for a value that is not ours.
local function look(lock, trim)
  local record = {holders = {}, permits = 0}
  local value = redis.pcall('GET', lock)
  if not value then
    return record
  end
  if type(value) ~= 'string' then
    value = '' -- a key of another type: somebody else's, like a value that is not ours
    record.alien = true
  end
  local owner, number, kind, since, label = string.match(value, '^([^#]+/%-?%d+)#(%d+)#([-D])#(%d*)#(.*)$')
  if owner then
    local left = redis.call('PTTL', lock)
    local leaseLeft = left
    if kind == 'D' then
      local leased = redis.call('GET', side(lock, 'd')) == owner .. '#' .. number
      leaseLeft = leased and redis.call('PTTL', side(lock, 'd')) or 0
    end
    record.mode = 'E'
    record.permits = 1
    record.holders[1] = {
      owner = owner, number = tonumber(number), kind = kind, leaseEnd = now + leaseLeft, recordEnd = now + left, permits = 1,
      mode = 'E', since = tonumber(since) or now, label = label
    }
    return record
  end
  local word, generation = string.match(value, '^(%a+):(%d+)$')
  local mode = word == 'shared' and 'S' or word == 'permits' and 'P' or nil
  if mode and redis.call('HGET', side(lock, 's'), '@') == generation then
    record.mode = mode
    return crowdOf(lock, record, trim)
  end
  record.mode = 'F'
  local left = redis.call('PTTL', lock)
  record.holders[1] = {owner = '', number = 0, leaseEnd = now + left, recordEnd = now + left, permits = 1, mode = 'F', since = now, label = ''}
  return record
end

local function holderOf(record, owner)
  for _, holder in ipairs(record.holders) do
    if holder.owner == owner then
      return holder
    end
  end
end

-- A grant is named by owner and number together; during a lock-delay nobody has it.
local function held(record, owner, number)
  local holder = holderOf(record, owner)
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

local function writeCrowd(lock, holder)
  local key = side(lock, 's')
  redis.call('HSET', key, holder.owner, table.concat({
    whole(holder.number), whole(holder.leaseEnd), whole(holder.recordEnd), whole(holder.permits), whole(holder.since), holder.label
  }, '#'))
  local left = math.max(holder.recordEnd - now, redis.call('PTTL', lock))
  redis.call('PEXPIRE', lock, left)
  redis.call('PEXPIRE', key, left + 1000) -- longer, so that the plain key is never without its holders
end

-- Writes an exclusive holder's plain key, and its lease beside it if the key outlives that.
local function writeAlone(lock, holder)
  local name = holder.owner .. '#' .. whole(holder.number)
  redis.call('SET', lock, name .. '#' .. holder.kind .. '#' .. whole(holder.since) .. '#' .. holder.label, 'PX', holder.recordEnd - now)
  if holder.kind == 'D' then
    redis.call('SET', side(lock, 'd'), name, 'PX', holder.leaseEnd - now)
  end
end

-- Grants a claim that the record admits.
local function grant(lock, record, claim, owner, lease, delay)
  local holder = {
    owner = owner, number = claim.number or draw(claim.floor), leaseEnd = now + lease, recordEnd = now + lease + delay, permits = claim.permits,
    mode = claim.mode, kind = claim.delay > 0 and 'D' or '-', since = now, label = claim.label
  }
  if claim.mode == 'E' then
    writeAlone(lock, holder)
  else
    if not record.mode then
      local generation = whole(holder.number)
      redis.call('DEL', side(lock, 's'))
      redis.call('HSET', side(lock, 's'), '@', generation)
      redis.call('SET', lock, (claim.mode == 'S' and 'shared:' or 'permits:') .. generation, 'PX', lease + delay)
    end
    writeCrowd(lock, holder)
  end
  record.mode = claim.mode
  record.permits = record.permits + claim.permits
  table.insert(record.holders, holder)
  return holder
end

local function forget(lock, owner)
  if redis.call('LREM', side(lock, 'q'), 1, owner) > 0 then
    redis.call('HDEL', side(lock, 'w'), 't:' .. owner, 'c:' .. owner, 'p:' .. owner)
  end
end

-- The claim of a waiter that is alive; nil for one that was not heard of in time or never was one.
local function living(lock, owner)
  local heard, text, passed = unpack(redis.call('HMGET', side(lock, 'w'), 't:' .. owner, 'c:' .. owner, 'p:' .. owner))
  local claim = text and parseClaim(text)
  -- A length that Redis refuses would end the script after the waiter was told.
  if not claim or claim.heardWithin < 1 or claim.heardWithin > 999999999 or not heard or now - (tonumber(heard) or 0) > claim.heardWithin then
    return nil
  end
  claim.isDeaf = passed and (tonumber(passed) or 0) < tonumber(heard)
  claim.isPassed = passed
  return claim
end

-- Hands what is free to the first living waiters and tells them. One who asks just now is not told, it sees the answer. Where PUBLISH
-- counts every subscriber, a waiter who cannot hear is passed over but keeps its place: its next heartbeat takes the lock. One that has been
-- passed over and was heard of since is alive, only deaf: it gets the lock like everybody else, or it would starve.
local function handOver(lock, record, asker)
  if quarantined then
    return
  end
  local position = 0
  for _ = 1, MOST_SKIPPED do
    local owner = redis.call('LINDEX', side(lock, 'q'), position)
    if not owner then
      return
    end
    local claim = living(lock, owner)
    if not claim then
      forget(lock, owner)
    elseif not admits(record, claim) or holderOf(record, owner) then
      return
    else
      claim.number = draw(claim.floor)
      local told = 1
      if owner ~= asker then
        local message = whole(claim.number) .. '#' .. whole(claim.heardWithin) .. '#' .. owner .. '#' .. lock
        told = redis.pcall('PUBLISH', channelOf(claim.listener), message)
      end
      if told == 0 and alone and not claim.isDeaf then
        if not claim.isPassed then
          redis.call('HSET', side(lock, 'w'), 'p:' .. owner, whole(now))
        end
        position = position + 1
      else
        grant(lock, record, claim, owner, claim.heardWithin, 0)
        forget(lock, owner)
      end
    end
  end
end

local function refreshed(lock, asker, trim)
  local record = look(lock, trim)
  handOver(lock, record, asker)
  return record
end

-- When asking again may help. A foreign holder's release sends no push, so it is asked for often; so is a lock without an end,
-- which is foreign whatever it looks like.
local function recheckIn(record)
  local first = math.huge
  for _, holder in ipairs(record.holders) do
    first = math.min(first, holder.recordEnd - now)
  end
  if record.mode == 'F' or first < 0 then
    return 50
  end
  return first == math.huge and 0 or bounded(first)
end

local function extend(lock, record, holder, lease, delay)
  holder.leaseEnd = math.max(holder.leaseEnd, now + lease)
  holder.recordEnd = math.max(holder.recordEnd, now + lease + delay)
  if record.mode == 'E' then
    if delay > 0 then
      holder.kind = 'D'
    end
    writeAlone(lock, holder)
  else
    writeCrowd(lock, holder)
  end
  return holder.leaseEnd - now
end

local function describe(holder)
  return {
    holder.owner, holder.label, holder.mode, bounded(holder.permits), bounded(holder.number), bounded(now - holder.since),
    bounded(holder.leaseEnd - now)
  }
end
