-- Write a key as it is, so that a WAIT behind this covers all that was written to it.
-- KEYS  1 game or claim
-- Returns 1, or 0 where there is no such key.
local life = redis.call('PTTL', KEYS[1])
if life <= 0 then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], life)
