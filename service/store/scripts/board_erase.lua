-- Erase a player from a board.
-- KEYS  1 the order, as in board_put  2 entries by player  3 games or days by player
--       4 statistics
-- ARGV  1 player  2 the index of the finish among an entry's values, from 1
-- Returns 1, or 0 if the player has no entry.
local shown = redis.call('HGET', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
if not shown then
  return 0
end
local entry = cmsgpack.unpack(shown)
redis.call('ZREM', KEYS[1], member(entry[tonumber(ARGV[2])], ARGV[1]))
redis.call('HDEL', KEYS[2], ARGV[1])
tally(entry, -1)
return 1
