-- Give a claim up.
-- KEYS  1 claim
-- ARGV  1 the claim's mark (9 bytes)
if redis.call('GETRANGE', KEYS[1], 0, 8) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
