-- Keep the answer to a request, unless one is kept already.
-- KEYS  1 the kept answer
-- ARGV  1 its record  2 its life in ms
-- Returns the record that was kept already, or an empty string.
local kept = redis.call('GET', KEYS[1])
if kept and string.sub(kept, 1, 1) == 'A' then
  return kept
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
