-- Adds to the bucket at KEYS[1], in microseconds: ARGV[1], the time in which what was taken is refilled; first, at
-- least ARGV[2], which is missing already. What is missing for longer than ARGV[3] is not of a gateway, and counts as
-- absent, as does a value of another type. Returns for how long the bucket is not full.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'table' and not string.find(value.err, 'WRONGTYPE', 1, true) then return value end
local full = type(value) == 'string' and tonumber(value) or 0
if not (full <= now + ARGV[3]) then full = 0 end
full = math.max(full, now, now + ARGV[2]) + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return full - now
