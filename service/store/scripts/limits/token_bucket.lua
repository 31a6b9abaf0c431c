-- Token bucket: the whole quota is available at once; then requests become available
-- again one by one, evenly over the window.
-- KEYS  for each limit: when its bucket is full again, in ms since 1970
-- ARGV  for each limit: its quota, and its window in ms
-- Returns for each limit, up to the first that refuses: 1 if it admits the request, else
-- 0; how many requests are left; ms until the bucket is full again or, if it refuses,
-- until the next request is available.
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
