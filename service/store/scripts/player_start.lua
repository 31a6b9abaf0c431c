-- Note that a player starts a game.
-- KEYS  1 the key that the name is bound to  2 first start on the deal
--       3 help on the deal  4 starts in the event  5 the player's games
--       6 the player's games on the deal
-- ARGV  1 digest of the player's key, or empty  2 the game's id  3 now in ms
--       4 life of what is noted in ms  5 whether to note the first start: 1 or 0
--       6 how many starts the event allows, or empty  7 what to list the game by
--       8 games that are listed  9 games on the deal that are noted, 0 for none
-- Returns one of: 'key' the name is bound to another key; 'attempts' no start is left;
-- 'help' the player had help on the deal; 'ok'.
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
