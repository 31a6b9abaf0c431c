-- Note when a player first had help on a deal.
-- KEYS  1 the key that the name is bound to  2 help on the deal
--       3 the player's games on the deal
-- ARGV  1 digest of the player's key, or empty  2 now in ms  3 life of the note in ms
-- Returns the games on the deal if this help is the first; an empty list if it is not,
-- or if the name is bound to another key.
local bound = redis.call('GET', KEYS[1])
if bound and bound ~= ARGV[1] then
  return {}
end
if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then
  return {}
end
return redis.call('ZRANGE', KEYS[3], 0, -1)
