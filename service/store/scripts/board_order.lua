-- Functions that the scripts of boards share; keys as in board_put.

-- The member of an entry in the order: its finish in 15 digits, then the player.
local function member(finish, player)
  return string.format('%015.0f', finish) .. player
end

-- Add an entry to the statistics (by is 1) or take it out (-1); sums of days have none.
local function tally(entry, by)
  if entry[4] then
    redis.call('HINCRBY', KEYS[4], 'piles:' .. entry[4], by)
    if entry[5] == 'won' then
      redis.call('HINCRBY', KEYS[4], 'won', by)
    end
  end
end

