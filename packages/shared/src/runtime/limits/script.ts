/**
 * The same decisions as `decide`, inside Redis, one after the other: one round trip for all that were asked for together,
 * and of no set anything taken unless all its limits allow it. KEYS: one a limit, holding the time at which the limit is
 * unused again, in microseconds. ARGV: the time in microseconds or an empty text for the clock of Redis, which all
 * processes share; then for each decision the number of its limits, and emission, capacity and cost of each of them.
 * Gives for each decision: allowed, the time to wait, and what is used of each limit afterwards, in microseconds.
 */
export const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local full, changed, answer = {}, {}, {}
local key, arg = 0, 2
while ARGV[arg] do
  local count = tonumber(ARGV[arg])
  local used, retry = {}, 0
  for i = 1, count do
    local name = KEYS[key + i]
    if not full[name] then full[name] = tonumber(redis.call('GET', name) or now) or now end
    local emission, capacity = tonumber(ARGV[arg + 3 * i - 2]), tonumber(ARGV[arg + 3 * i - 1])
    used[i] = math.min(math.max(full[name] - now, 0), capacity)
    retry = math.max(retry, used[i] + emission - capacity)
  end
  answer[#answer + 1] = retry > 0 and 0 or 1
  answer[#answer + 1] = math.max(retry, 0)
  for i = 1, count do
    local name = KEYS[key + i]
    if retry <= 0 and ARGV[arg + 3 * i] == '1' then
      used[i] = used[i] + tonumber(ARGV[arg + 3 * i - 2])
      full[name] = now + used[i]
      changed[name] = used[i]
    end
    answer[#answer + 1] = used[i]
  end
  key, arg = key + count, arg + 1 + 3 * count
end
for name, used in pairs(changed) do
  redis.call('SET', name, string.format('%.0f', full[name]), 'PX', math.ceil(used / 1000) + 1000)
end
return answer
`;
