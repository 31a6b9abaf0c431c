-- Delete a game, if it has the revision expected where one is.
-- KEYS  1 game
-- ARGV  1 expected revision (4 bytes), or empty
-- Returns {revision deleted}, or the revision found: empty where there is no game.
local found = redis.call('GETRANGE', KEYS[1], 0, 3)
if found == '' or (ARGV[1] ~= '' and found ~= ARGV[1]) then
  return found
end
redis.call('DEL', KEYS[1])
return { found }
