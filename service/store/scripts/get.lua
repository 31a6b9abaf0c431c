-- Read values; a script, so that a guard can come before it.
-- KEYS  the keys
-- Returns their values.
return redis.call('MGET', unpack(KEYS))
