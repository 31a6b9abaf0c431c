-- Write a game if it is still as the writer read it. For a request that may be sent
-- again, also keep the answer, in the same step.
-- KEYS  1 game  2 the kept answer, if the request may be sent again
-- ARGV  1 expected revision (4 bytes), followed by the expected payload if it is known
--       2 new revision and payload  3 life of the game in ms
--       with key 2: 4 record of the answer  5 its life in ms
-- Returns 1 if the game was written; {the record} if an answer is kept already; else the
-- revision and payload found, empty if there is no game.
local found = redis.call('GET', KEYS[1])
if not found then
  return ''
end
if KEYS[2] then
  local kept = redis.call('GET', KEYS[2])
  if kept and string.sub(kept, 1, 1) == 'A' then
    return { kept }
  end
end
local revision_is_enough = #ARGV[1] == 4
if found ~= ARGV[1] and not (revision_is_enough and string.sub(found, 1, 4) == ARGV[1]) then
  return found
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if KEYS[2] then
  redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
end
return 1
