-- Claim a request.
-- KEYS  1 claim
-- ARGV  1 the new record: 'P', token (8 bytes), fingerprint (16 bytes), note
--       2 life of the record in ms  3 lease of the claim in ms
-- Returns the record that is now stored: the new one, another claim's or an answer. A
-- lapsed claim with the same fingerprint is taken over with its note, so that a repeated
-- creation makes the game that was chosen first.
local held = redis.call('GET', KEYS[1])
if held then
  if string.sub(held, 1, 1) ~= 'P' then
    return held
  end
  local age = tonumber(ARGV[2]) - redis.call('PTTL', KEYS[1])
  local same = string.sub(held, 10, 25) == string.sub(ARGV[1], 10, 25)
  if age < tonumber(ARGV[3]) or not same then
    return held
  end
end
local taken = ARGV[1]
if held then
  taken = string.sub(taken, 1, 25) .. string.sub(held, 26)
end
redis.call('SET', KEYS[1], taken, 'PX', ARGV[2])
return taken
