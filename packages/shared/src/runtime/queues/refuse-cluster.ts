import type { Redis } from 'ioredis';
import { UnusableServiceError } from '../../domain/errors/index.js';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import type { Logger } from '../logging/index.js';
import { createRedis } from './create-redis.js';

/** In cluster mode queue calls fail with MOVED, one after the other. */
const REFUSAL =
  'REDIS_URL names a server in cluster mode, which the gateway cannot use. Name one without it, or a Sentinel group.';
const CONNECT_TIMEOUT_MS = 2_000;

/** Resolves when Redis answers; throws UnusableServiceError when it is in cluster mode, and what the client throws. */
export async function pingRedis(redis: Redis): Promise<void> {
  const info = await redis.info('cluster').catch((error: Error) => {
    // A user who may not ask for it.
    if (/^NOPERM/.test(error.message)) {
      return redis.ping();
    }
    throw error;
  });
  if (/^cluster_enabled:1/m.test(info)) {
    throw new UnusableServiceError(REFUSAL);
  }
}

/** Throws UnusableServiceError when the server of a URL is in cluster mode. One that does not answer within two seconds is none. */
export async function refuseCluster(url: string, logger: Logger): Promise<void> {
  const redis = createRedis({ url, mode: 'fail-fast', name: 'start', logger });
  try {
    const isUp = new Promise<boolean>((resolve) => {
      redis.once('ready', () => resolve(true));
      redis.once('error', () => resolve(false));
    });
    const outcome = await withTimeout(CONNECT_TIMEOUT_MS, isUp);
    if (outcome === TIMED_OUT || !outcome) {
      return;
    }
    await pingRedis(redis).catch((error: unknown) => {
      if (error instanceof UnusableServiceError) {
        throw error;
      }
    });
  } finally {
    redis.disconnect();
  }
}
