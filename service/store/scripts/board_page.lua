-- Read a page of a board.
-- KEYS  1 the order, as in board_put  2 entries by player
-- ARGV  1 entries of a page  2 'top', 'after' or 'around'
--       3 with 'after' a score as in the order, so negative; with 'around' the player
--       4 with 'after' a member: the page starts after it, whether or not it exists
--       5 the index of the finish among an entry's values, from 1
-- Returns {entries of the board, rank of the page's first entry from 0,
-- {member, entry, ...}}, or an empty list if the player has no entry.
local function is_before(one, other)
  for at = 1, math.min(#one, #other) do
    local left, right = string.byte(one, at), string.byte(other, at)
    if left ~= right then
      return left < right
    end
  end
  return #one < #other
end
local limit = tonumber(ARGV[1])
local total = redis.call('ZCARD', KEYS[1])
local start = 0
if ARGV[2] == 'after' then
  start = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
  local stop = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[3])
  while start < stop do
    local middle = math.floor((start + stop) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if is_before(ARGV[4], found) then
      stop = middle
    else
      start = middle + 1
    end
  end
elseif ARGV[2] == 'around' then
  local shown = redis.call('HGET', KEYS[2], ARGV[3])
  if not shown then
    return {}
  end
  local finish = cmsgpack.unpack(shown)[tonumber(ARGV[5])]
  local rank = redis.call('ZRANK', KEYS[1], member(finish, ARGV[3]))
  start = math.max(0, rank - math.floor(limit / 2))
end
local members = redis.call('ZRANGE', KEYS[1], start, start + limit - 1)
local rows = {}
for at, each in ipairs(members) do
  rows[2 * at - 1] = each
  rows[2 * at] = redis.call('HGET', KEYS[2], string.sub(each, 16))
end
return { total, start, rows }
