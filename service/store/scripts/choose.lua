-- Choose a value once.
-- KEYS  1 the choice
-- ARGV  1 what to choose unless it is chosen already
-- Returns what is chosen.
local chosen = redis.call('GET', KEYS[1])
if chosen then
  return chosen
end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
