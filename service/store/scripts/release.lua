-- Release a claim.
-- KEYS  1 claim
-- ARGV  1 the start of the claim's record: 'P' and its token (9 bytes)
-- Returns 1, or 0 if the claim was lost.
if redis.call('GETRANGE', KEYS[1], 0, 8) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
