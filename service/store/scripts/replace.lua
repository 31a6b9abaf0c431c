-- Write a game if it still has the version that the writer read.
-- KEYS  1 game
-- ARGV  1 expected version (4 bytes)  2 new version and payload  3 life in ms
-- Returns 1, or the version found: empty where there is no game.
local found = redis.call('GETRANGE', KEYS[1], 0, 3)
if found ~= ARGV[1] then
  return found
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
