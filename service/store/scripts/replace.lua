-- Write a game if it is still what the writer read; for a request that may be sent
-- again, keep its answer too, both or neither.
-- KEYS  1 game  2 the kept answer, where the request may be sent again
-- ARGV  1 expected revision (4 bytes), and the expected payload where it is known
--       2 new revision and payload  3 life in ms
--       with a kept answer: 4 its record  5 its life in ms
-- Returns 1, {the record} where an answer is kept already, or the revision and payload
-- found: empty where there is no game.
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
