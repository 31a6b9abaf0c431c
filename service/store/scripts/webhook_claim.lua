-- Claim due deliveries of a webhook, the first of each subject; until the lease is over,
-- no other sender gets them.
-- KEYS  1 to 5 as in webhook_add
-- ARGV  1 webhook as in key 1  2 webhook as in key 2  3 now in ms
--       4 how many deliveries to claim at most  5 lease in ms
-- Returns {the webhook, empty if it does not exist; {id, delivery, ...}}.
local subjects = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[3], 'LIMIT', 0, ARGV[4])
local claimed = {}
for _, subject in ipairs(subjects) do
  local id = cmsgpack.unpack(redis.call('HGET', KEYS[4], subject))[1]
  local delivery = cmsgpack.unpack(redis.call('HGET', KEYS[5], id))
  delivery[7] = delivery[7] + 1
  local packed = cmsgpack.pack(delivery)
  redis.call('HSET', KEYS[5], id, packed)
  redis.call('ZADD', KEYS[3], ARGV[3] + ARGV[5], subject)
  claimed[#claimed + 1] = id
  claimed[#claimed + 1] = packed
end
note_next_attempt()
return { redis.call('HGET', KEYS[2], ARGV[2]) or '', claimed }
