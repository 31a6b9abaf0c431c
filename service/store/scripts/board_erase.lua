-- Erase a player from a board.
-- KEYS  1 the order, as in board_put  2 entries by player  3 games or days by player
--       4 statistics
-- ARGV  1 player  2 which of an entry's values is its finish, from 1
local shown = redis.call('HGET', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
if not shown then
  return 0
end
local entry = cmsgpack.unpack(shown)
local finish = string.format('%015.0f', entry[tonumber(ARGV[2])])
redis.call('ZREM', KEYS[1], finish .. ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
if entry[4] then
  redis.call('HINCRBY', KEYS[4], 'piles:' .. entry[4], -1)
  if entry[5] == 'won' then
    redis.call('HINCRBY', KEYS[4], 'won', -1)
  end
end
return 1
