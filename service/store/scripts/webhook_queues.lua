-- Functions that the scripts of webhooks share; keys and ARGV 1 as in webhook_add.

-- The queue of a subject: ids of deliveries.
local function queue_of(subject)
  local packed = redis.call('HGET', KEYS[4], subject)
  return packed and cmsgpack.unpack(packed) or {}
end

-- Take a delivery out of the queue of its subject; return whether others are left.
local function take_from_queue(subject, taken)
  local left = {}
  for _, id in ipairs(queue_of(subject)) do
    if id ~= taken then
      left[#left + 1] = id
    end
  end
  if #left > 0 then
    redis.call('HSET', KEYS[4], subject, cmsgpack.pack(left))
    return true
  end
  redis.call('HDEL', KEYS[4], subject)
  redis.call('ZREM', KEYS[3], subject)
  return false
end

-- Store the time of the webhook's next attempt, if there is one.
local function note_next_attempt()
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  if first[1] then
    redis.call('ZADD', KEYS[1], first[2], ARGV[1])
  else
    redis.call('ZREM', KEYS[1], ARGV[1])
  end
end

