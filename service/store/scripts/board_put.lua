-- Put the end of a game on a board, once: a later end of the same game replaces an
-- earlier one. A player's entry is the best of the player's games.
-- KEYS  1 the order, a sorted set: a member is the finish in 15 digits and the player;
--       its score is the negated score, so that the best entry comes first
--       2 entries by player  3 games by player  4 statistics
-- ARGV  1 player  2 the game's id  3 number of the end
--       4 score, or -1 if the end is not ranked  5 finish in ms  6 piles left
--       7 'won' or another status  8 what the entry shows  9 life of the board in ms
--       10 how many games of a player are kept
-- Returns {changes so far, best score or -1, its finish or 0}.
local packed = redis.call('HGET', KEYS[3], ARGV[1])
local kept = packed and cmsgpack.unpack(packed) or { 0, {} }
local games = {}
local is_new = true
for _, game in ipairs(kept[2]) do
  if game[1] ~= ARGV[2] then
    games[#games + 1] = game
  elseif game[2] >= tonumber(ARGV[3]) then
    is_new = false
    games[#games + 1] = game
  end
end
if is_new then
  games[#games + 1] = {
    ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[6], ARGV[7],
    tonumber(ARGV[5]), ARGV[8],
  }
end
table.sort(games, function(one, other)
  if one[3] ~= other[3] then
    return one[3] > other[3]
  end
  if one[6] ~= other[6] then
    return one[6] < other[6]
  end
  return one[1] < other[1]
end)
while #games > tonumber(ARGV[10]) do
  games[#games] = nil
end
local shown = redis.call('HGET', KEYS[2], ARGV[1])
local before = shown and cmsgpack.unpack(shown)
local best = games[1]
if best and best[3] < 0 then
  best = nil
end
if is_new then
  kept[1] = kept[1] + 1
  redis.call('HSET', KEYS[3], ARGV[1], cmsgpack.pack({ kept[1], games }))
  if before then
    redis.call('ZREM', KEYS[1], member(before[6], ARGV[1]))
    tally(before, -1)
  end
  if best then
    redis.call('ZADD', KEYS[1], -best[3], member(best[6], ARGV[1]))
    redis.call('HSET', KEYS[2], ARGV[1], cmsgpack.pack(best))
    tally(best, 1)
  elseif before then
    redis.call('HDEL', KEYS[2], ARGV[1])
  end
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ARGV[9])
end
return { kept[1], best and best[3] or -1, best and best[6] or 0 }
