-- Queue a delivery to be sent again; one that still waits becomes due at once.
-- KEYS  1 to 7 as in webhook_add
-- ARGV  1 webhook as in key 1  2 the delivery's id  3 now in ms
-- Returns the delivery, or an empty string if it does not exist.
local packed = redis.call('HGET', KEYS[5], ARGV[2])
if not packed then
  return ''
end
local now = tonumber(ARGV[3])
local delivery = cmsgpack.unpack(packed)
local subject = delivery[2]
delivery[10], delivery[11] = now, now
local queue = queue_of(subject)
if delivery[6] ~= 'pending' then
  delivery[6] = 'pending'
  queue[#queue + 1] = ARGV[2]
  redis.call('HSET', KEYS[4], subject, cmsgpack.pack(queue))
  redis.call('ZREM', KEYS[7], ARGV[2])
end
packed = cmsgpack.pack(delivery)
redis.call('HSET', KEYS[5], ARGV[2], packed)
if queue[1] == ARGV[2] then
  redis.call('ZADD', KEYS[3], now, subject)
end
note_next_attempt()
return packed
