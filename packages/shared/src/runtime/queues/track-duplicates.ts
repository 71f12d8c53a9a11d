import type { Redis } from 'ioredis';

/**
 * Keeps hold of every copy that is made of a connection. BullMQ opens its blocking connection that way and gives it
 * back only when Redis answers, so that nobody could close it while Redis is away.
 */
export function trackDuplicates(redis: Redis): readonly Redis[] {
  const copies: Redis[] = [];
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    // BullMQ stops listening when it closes; an error nobody hears would be printed.
    copy.on('error', () => undefined);
    copies.push(copy);
    return copy;
  };
  return copies;
}
