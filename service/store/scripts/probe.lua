-- Check that writes can be made, with the commands that they use.
-- KEYS  1 a key that nothing else uses
-- Returns 1.
redis.call('SET', KEYS[1], 'written', 'PX', 1000)
redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) + 1000)
if redis.call('GET', KEYS[1]) ~= redis.call('GETRANGE', KEYS[1], 0, -1) then
  return redis.error_reply('ERR what was just written is not read')
end
return redis.call('DEL', KEYS[1])
