-- Count something within a window of time that starts with the first of it.
-- KEYS  1 count
-- ARGV  1 how many more  2 length of the window in seconds
-- Returns the count, and the milliseconds left of the window.
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = ARGV[2] * 1000
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}
