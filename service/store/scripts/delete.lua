-- Delete a game; if a revision is expected, only if the game has it.
-- KEYS  1 game
-- ARGV  1 expected revision (4 bytes), or empty
-- Returns {deleted revision}; or, if nothing was deleted, the revision found, which is
-- empty if there is no game.
local found = redis.call('GETRANGE', KEYS[1], 0, 3)
if found == '' or (ARGV[1] ~= '' and found ~= ARGV[1]) then
  return found
end
redis.call('DEL', KEYS[1])
return { found }
