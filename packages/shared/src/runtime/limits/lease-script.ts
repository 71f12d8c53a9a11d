/**
 * Takes a lease under each of several limits, or none when one of them is used up. KEYS: one sorted set a limit, holding
 * leases by the time at which they end, in milliseconds of the clock of Redis, which all processes share. ARGV: name of
 * the lease, its longest life in milliseconds, then the number of leases that each set may hold. Returns 1 or 0.
 */
export const LEASE_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if redis.call('ZCARD', key) >= tonumber(ARGV[2 + i]) then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
return 1
`;
