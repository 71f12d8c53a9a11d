import type { Redis } from 'ioredis';

/** Resolves to true as soon as the connection is ready, to false when it is not after some milliseconds. */
export async function waitUntilReady(redis: Redis, ms: number): Promise<boolean> {
  if (redis.status === 'ready') return true;
  return new Promise((resolve) => {
    const end = (ready: boolean): void => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(ready);
    };
    const onReady = (): void => end(true);
    const timer = setTimeout(() => end(false), ms);
    redis.once('ready', onReady);
  });
}
