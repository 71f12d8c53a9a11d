import { randomBytes } from 'node:crypto';
import { UnusableServiceError } from '../../domain/errors/index.js';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import type { Logger } from '../logging/index.js';
import type { ObjectStore } from './create-object-store.js';

const REFUSAL =
  'The object store ignores "If-None-Match: *" on a put, so a late worker could replace a delivered image. Use one that honours ' +
  'it (docs/object-stores.md names some; Google Cloud Storage does not).';
const TIMEOUT_MS = 5_000;

/**
 * Puts one key twice, and removes it. Throws UnusableServiceError when the second put replaced the first. A store that does not answer in
 * time, or refuses the request, is no reason to wait: its own errors tell.
 */
export async function refuseUnconditionalPuts(store: ObjectStore, logger: Logger): Promise<void> {
  const key = `doctor/${randomBytes(12).toString('hex')}.png`;
  const put = () => store.put(key, randomBytes(16), { contentType: 'image/png' });
  const tryTwice = async (): Promise<'holds' | 'ignored'> => {
    await put();
    const second = await put();
    await store.remove([key]).catch(() => undefined);
    return second === 'exists' ? 'holds' : 'ignored';
  };
  const outcome = await withTimeout(
    TIMEOUT_MS,
    tryTwice().catch((error: unknown) => error),
  );
  if (outcome === 'ignored') {
    throw new UnusableServiceError(REFUSAL);
  }
  if (outcome !== 'holds') {
    const error = outcome === TIMED_OUT ? 'no answer in time' : outcome;
    logger.warn('the object store could not be tried at the start', { error });
  }
}
