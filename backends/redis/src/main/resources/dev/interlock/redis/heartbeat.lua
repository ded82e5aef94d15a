-- heartbeat.lua: keeps queue places alive, and checks whether their locks can be granted now.
-- KEYS: counter, quarantine, locks · ARGV: 'highestSeen singleServer', the owner at each lock
-- Returns per lock {number, remaining lease} for a grant, {recheckIn} for a waiter, {} for an owner without a place.
local highestSeen, singleServer = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, quarantineKey = KEYS[1], KEYS[2]
highestSeen, singleServer = tonumber(highestSeen), singleServer == '1'
--#include record.lua
local function heartbeat(lock, owner)
  local waiters = sideKey(lock, 'w')
  local text = redis.call('HGET', waiters, 'c:' .. owner)
  -- Without the queue, no waiter has a place.
  local claim = text and redis.call('EXISTS', sideKey(lock, 'q')) == 1 and parseClaim(text)
  if claim then
    redis.call('HSET', waiters, 't:' .. owner, formatInteger(now))
    redis.call('PEXPIRE', waiters, 2 * claim.heartbeatWithin + 1000)
    redis.call('PEXPIRE', sideKey(lock, 'q'), 2 * claim.heartbeatWithin + 1000)
  end
  local record = readAndHandOver(lock, owner)
  local own = findHolder(record, owner)
  if own and own.leaseEnd > now then
    return {own.number, own.leaseEnd - now}
  end
  if record.wrongType then
    return {} -- the next attempt reports the reason
  end
  return claim and {quarantined and 200 or recheckIn(record)} or {}
end

local answers = {}
for i = 3, #KEYS do
  answers[i - 2] = isolated(heartbeat, KEYS[i], ARGV[i - 1]) or {} -- the next attempt reports the reason
end
return answers
