-- Choose a value once.
-- KEYS  1 the choice
-- ARGV  1 the value to choose if none is chosen yet
-- Returns the chosen value.
local chosen = redis.call('GET', KEYS[1])
if chosen then
  return chosen
end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
