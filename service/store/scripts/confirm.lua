-- Write a key without changing it, so that a WAIT after this script also covers the
-- writes made to the key before.
-- KEYS  1 game or claim
-- Returns 1, or 0 if the key does not exist.
local life = redis.call('PTTL', KEYS[1])
if life <= 0 then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], life)
