-- End a webhook: its waiting deliveries fail, and nothing more is sent to it.
-- KEYS  1 to 7 as in webhook_add
-- ARGV  1 webhook as in key 1  2 webhook as in key 2  3 new value of the webhook
--       4 outcome, as in webhook_settle  5 now in ms
-- Returns 1, or 0 if the webhook does not exist.
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
for _, packed in ipairs(redis.call('HVALS', KEYS[4])) do
  for _, id in ipairs(cmsgpack.unpack(packed)) do
    local delivery = cmsgpack.unpack(redis.call('HGET', KEYS[5], id))
    delivery[6], delivery[9] = 'failed', ARGV[4]
    redis.call('HSET', KEYS[5], id, cmsgpack.pack(delivery))
    redis.call('ZADD', KEYS[7], ARGV[5], id)
  end
end
redis.call('DEL', KEYS[3], KEYS[4])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
