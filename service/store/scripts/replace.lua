-- Write a game if it is still what the writer read; where the request is claimed, keep
-- its answer too, both or neither.
-- KEYS  1 game  2 claim, if there is one
-- ARGV  1 expected version (4 bytes), and the expected payload where it is known
--       2 new version and payload  3 life in ms
--       with a claim: 4 its mark (9 bytes)  5 answered record  6 its life in ms
-- Returns 1, 0 where the claim is no longer ours, or the version and payload found:
-- empty where there is no game.
local claim = KEYS[2]
if claim and redis.call('GETRANGE', claim, 0, 8) ~= ARGV[4] then
  return 0
end
local found = redis.call('GET', KEYS[1])
if not found then
  return ''
end
local version_is_enough = #ARGV[1] == 4
if found ~= ARGV[1] and not (version_is_enough and string.sub(found, 1, 4) == ARGV[1]) then
  return found
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if claim then
  redis.call('SET', claim, ARGV[5], 'PX', ARGV[6])
end
return 1
