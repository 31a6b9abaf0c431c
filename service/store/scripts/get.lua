-- Read values; this is a script so that a guard can run before it in one step.
-- KEYS  the keys
-- Returns their values, false for each key that does not exist.
return redis.call('MGET', unpack(KEYS))
