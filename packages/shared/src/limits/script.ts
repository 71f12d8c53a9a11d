/**
 * The same decision as `decide`, inside Redis: one round trip for all limits, and nothing taken unless all allow it.
 * KEYS: one a limit, holding the time at which the limit is unused again, in microseconds. ARGV: emission, capacity and
 * cost of each limit, then the time in microseconds or an empty text for the clock of Redis, which all processes share.
 * Gives allowed, the time to wait, and what is used of each limit afterwards, in microseconds.
 */
export const SCRIPT = `
local count = #KEYS
local now = tonumber(ARGV[3 * count + 1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local used, retry = {}, 0
for i = 1, count do
  local emission, capacity = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1])
  local full = tonumber(redis.call('GET', KEYS[i]) or now) or now
  used[i] = math.min(math.max(full - now, 0), capacity)
  retry = math.max(retry, used[i] + emission - capacity)
end
if retry > 0 then return { 0, retry, unpack(used) } end
for i = 1, count do
  if ARGV[3 * i] == '1' then
    used[i] = used[i] + tonumber(ARGV[3 * i - 2])
    redis.call('SET', KEYS[i], string.format('%.0f', now + used[i]), 'PX', math.ceil(used[i] / 1000) + 1000)
  end
end
return { 1, 0, unpack(used) }
`;
