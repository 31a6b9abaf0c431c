-- Token bucket: so many requests at once, then one each time its share of the window is
-- over.
-- KEYS  for each limit: when its bucket is full again, in ms since 1970
-- ARGV  for each limit: its requests, and its window in ms
-- Returns for each limit, up to the first that refuses: 1 or 0, whether it admits the
-- request; the requests left; ms until all are there again, or the next where it refuses.
local found = {}
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
for index, name in ipairs(KEYS) do
  local quota, window = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  local full = math.max(tonumber(redis.call('GET', name) or 0), now) + window / quota
  local rest = full - now
  if rest > window + 0.001 then -- the clock's steps are no finer
    found[index] = { 0, 0, math.ceil(rest - window) }
    break
  end
  redis.call('SET', name, string.format('%.3f', full), 'PX', math.ceil(rest))
  found[index] = { 1, math.floor((window - rest) * quota / window + 0.001), math.ceil(rest) }
end
return found
