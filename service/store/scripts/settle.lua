-- Keep the answer of a claimed request.
-- KEYS  1 claim
-- ARGV  1 the claim's mark (9 bytes)  2 answered record  3 its life in ms
-- Returns 1, or 0 where the claim is no longer ours.
if redis.call('GETRANGE', KEYS[1], 0, 8) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
