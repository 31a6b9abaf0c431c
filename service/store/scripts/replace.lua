-- Write a game if it is still what the writer read.
-- KEYS  1 game
-- ARGV  1 expected version (4 bytes), and the expected payload where it is known
--       2 new version and payload  3 life in ms
-- Returns 1, or the version and payload found: empty where there is no game.
local found = redis.call('GET', KEYS[1])
if not found then
  return ''
end
local version_is_enough = #ARGV[1] == 4
if found ~= ARGV[1] and not (version_is_enough and string.sub(found, 1, 4) == ARGV[1]) then
  return found
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
