import type { LabServices } from '../lab/start-services.js';

const SCRIPT = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  local value = ''
  if kind == 'string' then value = redis.call('GET', key)
  elseif kind == 'hash' then value = cjson.encode(redis.call('HGETALL', key))
  elseif kind == 'list' then value = cjson.encode(redis.call('LRANGE', key, 0, -1))
  elseif kind == 'set' then value = cjson.encode(redis.call('SMEMBERS', key))
  elseif kind == 'zset' then value = cjson.encode(redis.call('ZRANGE', key, 0, -1))
  elseif kind == 'stream' then value = cjson.encode(redis.call('XRANGE', key, '-', '+')) end
  all[#all + 1] = key .. ' ' .. value
end
return table.concat(all, '\\n')`;

/** Everything that stands in Redis, as text. */
export function readRedis({ redis }: LabServices): Promise<string> {
  return redis('EVAL', SCRIPT, '0');
}
