-- wait.lua: the waiters' heartbeat, which is also their re-check.
-- KEYS: counter, quarantine mark, locks · ARGV: 'seen alone', owners
-- Answers per lock {number, left} for a grant, {recheckIn} for one that waits on, {} for one that is not known.
local seen, alone = string.match(ARGV[1], '^(%d+) (%d)$')
local counter, mark = KEYS[1], KEYS[2]
seen, alone = tonumber(seen), alone == '1'
--#include record.lua
local answers = {}
for i = 3, #KEYS do
  local lock, owner = KEYS[i], ARGV[i - 1]
  local waiters = side(lock, 'w')
  local text = redis.call('HGET', waiters, 'c:' .. owner)
  local claim = text and parseClaim(text)
  if claim then
    redis.call('HSET', waiters, 't:' .. owner, whole(now))
    redis.call('PEXPIRE', waiters, 2 * claim.heardWithin + 1000)
    redis.call('PEXPIRE', side(lock, 'q'), 2 * claim.heardWithin + 1000)
  end
  local record = refreshed(lock, owner)
  local mine = holderOf(record, owner)
  if mine and mine.leaseEnd > now then
    answers[i - 2] = {mine.number, mine.leaseEnd - now}
  elseif claim then
    answers[i - 2] = {quarantined and 200 or recheckIn(record)}
  else
    answers[i - 2] = {}
  end
end
return answers
