-- Delete a delivery.
-- KEYS  1 to 7 as in webhook_add
-- ARGV  1 webhook as in key 1  2 the delivery's id
-- Returns 1, or 0 where there is none.
local packed = redis.call('HGET', KEYS[5], ARGV[2])
if not packed then
  return 0
end
local subject = cmsgpack.unpack(packed)[2]
local known = redis.call('HGET', KEYS[4], subject)
local left = {}
for _, id in ipairs(known and cmsgpack.unpack(known) or {}) do
  if id ~= ARGV[2] then
    left[#left + 1] = id
  end
end
if #left > 0 then
  redis.call('HSET', KEYS[4], subject, cmsgpack.pack(left))
else
  redis.call('HDEL', KEYS[4], subject)
  redis.call('ZREM', KEYS[3], subject)
end
redis.call('HDEL', KEYS[5], ARGV[2])
redis.call('ZREM', KEYS[6], ARGV[2])
redis.call('ZREM', KEYS[7], ARGV[2])
local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if first[1] then
  redis.call('ZADD', KEYS[1], first[2], ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
