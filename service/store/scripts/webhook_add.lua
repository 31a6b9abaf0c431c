-- Queue a delivery to a webhook, once for each end of a game or an event.
-- KEYS  1 webhooks by the time of their next attempt  2 webhooks of the tenant by id
--       3 subjects by the time of their next attempt
--       4 queues by subject: ids of deliveries, which are sent one after the other
--       5 deliveries by id  6 ids by the time they were queued
--       7 ids of settled deliveries by the time they were settled
--       8 highest number of an end of this subject so far
-- ARGV  1 webhook as in key 1  2 webhook as in key 2  3 the delivery's id  4 subject
--       5 number of the end  6 type  7 player, or empty  8 body  9 now in ms
--       10 how many deliveries can wait  11 life of key 8 in ms
-- Returns 'added'; 'known' if this end or a later one was handled before; 'gone' if the
-- webhook does not exist; 'full' if too many deliveries wait, and this one is dropped.
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then
  return 'gone'
end
local told = tonumber(redis.call('GET', KEYS[8]) or 0)
redis.call('SET', KEYS[8], math.max(told, tonumber(ARGV[5])), 'PX', ARGV[11])
if told >= tonumber(ARGV[5]) then
  return 'known'
end
local waiting = redis.call('HLEN', KEYS[5]) - redis.call('ZCARD', KEYS[7])
if waiting >= tonumber(ARGV[10]) then
  return 'full'
end
local now = tonumber(ARGV[9])
local delivery = cmsgpack.pack({
  ARGV[6], ARGV[4], ARGV[7], now, ARGV[8], 'pending', 0, 0, '', now, now,
})
redis.call('HSET', KEYS[5], ARGV[3], delivery)
redis.call('ZADD', KEYS[6], now, ARGV[3])
local queue = queue_of(ARGV[4])
queue[#queue + 1] = ARGV[3]
redis.call('HSET', KEYS[4], ARGV[4], cmsgpack.pack(queue))
if #queue == 1 then
  redis.call('ZADD', KEYS[3], now, ARGV[4])
end
note_next_attempt()
return 'added'
