import type { Redis } from 'ioredis';
import { UnusableServiceError } from '../../domain/errors/index.js';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import type { Logger } from '../logging/index.js';
import { createRedis } from './create-redis.js';

/** In cluster mode queue calls fail with MOVED, one after the other. */
const REFUSAL =
  'REDIS_URL names a server in cluster mode, which the gateway cannot use. Name one without it, or a Sentinel group.';
const CONNECT_TIMEOUT_MS = 2_000;
/** Remediations for a server that answers and takes no writes, by the first word of its error. */
const WRITE_REMEDIATIONS: Readonly<Record<string, string>> = {
  READONLY: 'it is a replica. Name the primary in REDIS_URL, or a Sentinel group',
  OOM: 'its memory is full. Raise maxmemory, or remove other keys',
  MISCONF: 'it cannot save to its disk. Make room there, or correct its folder',
  NOREPLICAS: 'it has fewer replicas than min-replicas-to-write. Start them',
  NOPERM: 'its user may not. Grant it the keys of REDIS_PREFIX',
};
/** Life of the key of a trial, in milliseconds. */
const TRIAL_MS = 60_000;

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

/**
 * Writes a key of the gateway. Throws UnusableServiceError when the server answers and takes no writes, and what the client throws. Tasks
 * go on without writes as without Redis, so a start does not ask.
 */
export async function tryRedisWrite(redis: Redis, prefix: string): Promise<void> {
  try {
    await redis.set(`${prefix}:trial`, '1', 'PX', TRIAL_MS);
  } catch (error) {
    const { message } = error as Error;
    const [word = ''] = message.split(' ', 1);
    const remediation = WRITE_REMEDIATIONS[word];
    if (remediation === undefined) {
      throw error;
    }
    throw new UnusableServiceError(
      `Redis takes no writes (${word}): ${remediation}. Meanwhile tasks start with a delay, and limits count in each process alone.`,
    );
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
