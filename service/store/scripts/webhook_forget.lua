-- Delete a delivery.
-- KEYS  1 to 7 as in webhook_add
-- ARGV  1 webhook as in key 1  2 the delivery's id
-- Returns 1, or 0 if it does not exist.
local packed = redis.call('HGET', KEYS[5], ARGV[2])
if not packed then
  return 0
end
local subject = cmsgpack.unpack(packed)[2]
take_from_queue(subject, ARGV[2])
redis.call('HDEL', KEYS[5], ARGV[2])
redis.call('ZREM', KEYS[6], ARGV[2])
redis.call('ZREM', KEYS[7], ARGV[2])
note_next_attempt()
return 1
