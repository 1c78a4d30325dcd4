-- Adds what a replica took to the bucket at KEYS[1], whose value is the time at which it is full. In microseconds:
-- ARGV[1] is the time in which the taken tokens are refilled, ARGV[2] that for those that were missing before, at least,
-- and ARGV[3] the time since the first of them was taken. Returns that for those that are missing now, negative if the
-- bucket is full. If more than for ARGV[4] are missing, the value is not of a gateway, and counts as absent, as one of
-- another type. A full bucket is kept for ARGV[5] milliseconds.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local value = redis.pcall('GETRANGE', KEYS[1], 0, 31)
if type(value) == 'table' and not string.find(value.err, 'WRONGTYPE', 1, true) then return value end
local full = type(value) == 'string' and tonumber(value) or 0
if not (full <= now + ARGV[4]) then full = 0 end
full = math.max(full, now + ARGV[2], now - ARGV[3]) + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil(math.max(0, full - now) / 1000) + ARGV[5])
return full - now
