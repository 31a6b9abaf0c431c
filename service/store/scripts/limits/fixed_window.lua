-- Fixed window: a window begins with a client's first request; at its end, the whole
-- quota is available again.
-- KEYS  for each limit: the count of requests in its window
-- ARGV  for each limit: its quota, and its window in ms
-- Returns for each limit, up to the first that refuses: 1 if it admits the request, else
-- 0; how many requests are left; ms until the end of the window.
local found = {}
for index, name in ipairs(KEYS) do
  local quota, window = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  local count = redis.call('INCR', name)
  local rest = redis.call('PTTL', name)
  if rest < 0 then
    rest = window
    redis.call('PEXPIRE', name, window)
  end
  found[index] = { count <= quota and 1 or 0, math.max(quota - count, 0), rest }
  if count > quota then
    break
  end
end
return found
