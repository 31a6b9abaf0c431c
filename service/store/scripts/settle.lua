-- Keep the answer to a claimed request.
-- KEYS  1 claim
-- ARGV  1 as in release  2 record of the answer  3 its life in ms
-- Returns 1, or 0 if the claim was lost.
if redis.call('GETRANGE', KEYS[1], 0, 8) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
