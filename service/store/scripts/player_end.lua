-- Count the end of a game for its player, once: a later end of the same game replaces
-- an earlier one.
-- KEYS  1 the key that the name is bound to  2 first start on the deal
--       3 help on the deal  4 the game's last counted end  5 counts of the player
--       6 days of the streak  7 best scores in the variant  8 boards of the player
-- ARGV  1 digest of the player's key, or empty  2 the game's id  3 number of the end
--       4 when it ended in ms  5 when it started in ms; the time for the bonus runs from
--       then if argument 10 is not 'ranked', or if key 2 does not exist
--       6 points without the bonus  7 'won' or another status  8 rating, or empty
--       9 day of the streak, empty, or 'keep' for the day of the earlier end
--       10 whether the score can be a best score: 'ranked' if only with the state 'ok',
--       'own' if always, empty if never; 'keep' to leave the one of the earlier end
--       11 life of the counted end in ms  12 largest bonus, one less for each second
--       13 best scores kept  14... boards that the game may be on
-- Returns {state, points with the bonus, when the time for the bonus began}; state is
-- 'key', and nothing is counted, if the name is bound to another key; 'help' if the
-- player had help before the end; or 'ok'.
local bound = redis.call('GET', KEYS[1])
if bound and bound ~= ARGV[1] then
  return { 'key', 0, 0 }
end
local started = tonumber(redis.call('GET', KEYS[2]) or ARGV[5])
if ARGV[10] ~= 'ranked' then
  started = tonumber(ARGV[5])
end
local points = tonumber(ARGV[6])
if ARGV[7] == 'won' then
  local seconds = math.floor(math.max(0, tonumber(ARGV[4]) - started) / 1000)
  points = points + math.max(0, tonumber(ARGV[12]) - seconds)
end
local help = redis.call('GET', KEYS[3])
local state = 'ok'
if help and tonumber(help) <= tonumber(ARGV[4]) then
  state = 'help'
end
local answer = { state, points, started }

local number = tonumber(ARGV[3])
local packed = redis.call('GET', KEYS[4])
local before = packed and cmsgpack.unpack(packed)
for board = 14, #ARGV do
  redis.call('SADD', KEYS[8], ARGV[board])
end
if before and before[1] >= number then
  return answer
end
local function count(status, rating, day, by)
  if status == 'won' then
    redis.call('HINCRBY', KEYS[5], 'wins', by)
  end
  if rating ~= '' then
    redis.call('HINCRBY', KEYS[5], 'rating:' .. rating, by)
  end
  if day ~= '' and redis.call('HINCRBY', KEYS[6], day, by) <= 0 then
    redis.call('HDEL', KEYS[6], day)
  end
end
local day = ARGV[9]
if day == 'keep' then
  day = before and before[4] or ''
end
if before then
  count(before[2], before[3], before[4], -1)
else
  redis.call('HINCRBY', KEYS[5], 'games', 1)
end
count(ARGV[7], ARGV[8], day, 1)
if ARGV[10] ~= 'keep' then
  redis.call('ZREM', KEYS[7], ARGV[2])
end
if ARGV[10] == 'own' or (ARGV[10] == 'ranked' and state == 'ok') then
  redis.call('ZADD', KEYS[7], points, ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[7], 0, -1 - tonumber(ARGV[13]))
end
local now = cmsgpack.pack({ number, ARGV[7], ARGV[8], day })
redis.call('SET', KEYS[4], now, 'PX', ARGV[11])
return answer
