-- Add a player's best score of a day to a sum of days.
-- KEYS  1 the order, as in board_put  2 entries by player  3 days by player
-- ARGV  1 player  2 day  3 changes of that day so far  4 its score, or -1 for none
--       5 its finish in ms  6 what the entry shows
--       7 life of the board in ms, 0 for no end
-- Returns 1, or 0 if this change of the day, or a later one, was added before.
local packed = redis.call('HGET', KEYS[3], ARGV[1])
local days = packed and cmsgpack.unpack(packed) or {}
local day = days[ARGV[2]]
if day and day[1] >= tonumber(ARGV[3]) then
  return 0
end
days[ARGV[2]] = { tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]) }
redis.call('HSET', KEYS[3], ARGV[1], cmsgpack.pack(days))
local shown = redis.call('HGET', KEYS[2], ARGV[1])
if shown then
  redis.call('ZREM', KEYS[1], member(cmsgpack.unpack(shown)[2], ARGV[1]))
end
local sum, finish, count = 0, 0, 0
for _, each in pairs(days) do
  if each[2] >= 0 then
    sum, finish, count = sum + each[2], math.max(finish, each[3]), count + 1
  end
end
if count > 0 then
  redis.call('ZADD', KEYS[1], -sum, member(finish, ARGV[1]))
  redis.call('HSET', KEYS[2], ARGV[1], cmsgpack.pack({ sum, finish, ARGV[6] }))
elseif shown then
  redis.call('HDEL', KEYS[2], ARGV[1])
end
if ARGV[7] ~= '0' then
  for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ARGV[7])
  end
end
return 1
