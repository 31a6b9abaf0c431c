-- Note that a player starts a game.
-- KEYS  1 the key that the name is bound to  2 first start on the deal
--       3 help on the deal  4 starts in the event  5 the player's games
--       6 the player's games on the deal
-- ARGV  1 digest of the player's key, or empty  2 the game's id  3 now in ms
--       4 life of the notes in ms  5 whether to note the first start: 1 or 0
--       6 how many starts the event allows, empty for no limit
--       7 the text that represents the game in the list of key 5
--       8 how many games are listed  9 how many games on the deal are noted, or 0
-- Returns 'key' if the name is bound to another key; 'attempts' if no start is left;
-- 'help' if the player had help on the deal; else 'ok'.
local function list(key, name, most)
  redis.call('ZADD', key, ARGV[3], name)
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - tonumber(most))
end
list(KEYS[5], ARGV[7], ARGV[8])
local bound = redis.call('GET', KEYS[1])
if bound and bound ~= ARGV[1] then
  return 'key'
end
if not bound and ARGV[1] ~= '' then
  redis.call('SET', KEYS[1], ARGV[1])
end
if ARGV[6] ~= '' and redis.call('SISMEMBER', KEYS[4], ARGV[2]) == 0 then
  if redis.call('SCARD', KEYS[4]) >= tonumber(ARGV[6]) then
    return 'attempts'
  end
  redis.call('SADD', KEYS[4], ARGV[2])
  redis.call('PEXPIRE', KEYS[4], ARGV[4])
end
if ARGV[5] == '1' then
  redis.call('SET', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[4])
end
if ARGV[9] ~= '0' then
  list(KEYS[6], ARGV[2], ARGV[9])
  redis.call('PEXPIRE', KEYS[6], ARGV[4])
end
return redis.call('EXISTS', KEYS[3]) == 1 and 'help' or 'ok'
