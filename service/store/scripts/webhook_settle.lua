-- Store the result of an attempt.
-- KEYS  1 to 7 as in webhook_add
-- ARGV  1 webhook as in key 1  2 the delivery's id  3 number of the attempt
--       4 'delivered', 'failed', or 'pending' if another attempt is to be made
--       5 outcome  6 now in ms  7 time of the next attempt in ms, or 0
--       8 how many settled deliveries are kept
-- Returns 1; or 0, without a change, if the delivery is no longer pending, or if another
-- sender has begun a later attempt and this one did not succeed.
local packed = redis.call('HGET', KEYS[5], ARGV[2])
local delivery = packed and cmsgpack.unpack(packed)
if not delivery or delivery[6] ~= 'pending' then
  return 0
end
if ARGV[4] ~= 'delivered' and delivery[7] ~= tonumber(ARGV[3]) then
  return 0
end
local subject = delivery[2]
delivery[6], delivery[8] = ARGV[4], tonumber(ARGV[6])
delivery[9], delivery[10] = ARGV[5], tonumber(ARGV[7])
redis.call('HSET', KEYS[5], ARGV[2], cmsgpack.pack(delivery))
if ARGV[4] == 'pending' then
  redis.call('ZADD', KEYS[3], ARGV[7], subject)
else
  if take_from_queue(subject, ARGV[2]) then
    redis.call('ZADD', KEYS[3], ARGV[6], subject)
  end
  redis.call('ZADD', KEYS[7], ARGV[6], ARGV[2])
  local excess = redis.call('ZCARD', KEYS[7]) - tonumber(ARGV[8])
  local oldest = excess > 0 and redis.call('ZRANGE', KEYS[7], 0, excess - 1) or {}
  for _, id in ipairs(oldest) do
    redis.call('HDEL', KEYS[5], id)
    redis.call('ZREM', KEYS[6], id)
    redis.call('ZREM', KEYS[7], id)
  end
end
note_next_attempt()
return 1
