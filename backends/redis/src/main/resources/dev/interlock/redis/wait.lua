-- wait.lua: the waiters' heartbeat, which is also their re-check.
-- KEYS: counter, quarantine mark, locks · ARGV: 'seen alone', owners
-- Answers per lock {number, left} for a grant, {recheckIn} for one that waits on, {} for one that is not known.
local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, mark = KEYS[1], KEYS[2]
seen, alone = tonumber(seen), alone == '1'
--#include record.lua
local function heard(lock, owner)
  local waiters = side(lock, 'w')
  local text = redis.call('HGET', waiters, 'c:' .. owner)
  local claim = text and redis.call('EXISTS', side(lock, 'q')) == 1 and parseClaim(text) -- without the queue nobody has a place
  if claim then
    redis.call('HSET', waiters, 't:' .. owner, whole(now))
    redis.call('PEXPIRE', waiters, 2 * claim.heardWithin + 1000)
    redis.call('PEXPIRE', side(lock, 'q'), 2 * claim.heardWithin + 1000)
  end
  local record = refreshed(lock, owner)
  local mine = holderOf(record, owner)
  if mine and mine.leaseEnd > now then
    return {mine.number, mine.leaseEnd - now}
  end
  if record.alien then
    return {} -- the next attempt is told why
  end
  return claim and {quarantined and 200 or recheckIn(record)} or {}
end

local answers = {}
for i = 3, #KEYS do
  answers[i - 2] = apart(heard, KEYS[i], ARGV[i - 1]) or {} -- the next attempt is told why
end
return answers
