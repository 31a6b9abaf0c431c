-- Fixed window: it begins with a client's first request; all are there again at its end.
-- KEYS  a count for each limit
-- ARGV  for each limit: its requests, and its window in ms
-- Returns for each limit, up to the first that refuses: 1 or 0, whether it admits the
-- request; the requests left; ms until all are there again, none before where it refuses.
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
