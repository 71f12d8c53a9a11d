import type { CallOutcome } from '@image-gateway/shared/db';
import type { Random } from '../random.js';

/** Outcome of one provider call for some images. */
export interface ProviderAnswer {
  readonly images: number;
  readonly state: CallOutcome['state'];
}

/** Everything outside the database: clients, providers, the bucket, receivers, the queue. */
export interface World {
  /** Ids that clients were told, by their idempotency key or request. */
  readonly told: Map<string, string>;
  /** Hints that wait in the queue; may be lost and doubled. */
  hints: string[];
  /** Complete objects by key. */
  readonly bucket: Map<string, string>;
  /** Calls that providers have seen, by task. */
  readonly calls: Map<string, number>;
  /** Webhook bodies that receivers got, by task id. */
  readonly posts: Map<string, string>;
  readonly ask: (taskId: string, wanted: number) => ProviderAnswer;
}

/** Makes an empty world with a provider that the seed decides. */
export function createWorld(random: Random): World {
  const calls = new Map<string, number>();
  return {
    told: new Map(),
    hints: [],
    bucket: new Map(),
    posts: new Map(),
    calls,
    ask: (taskId, wanted) => {
      calls.set(taskId, (calls.get(taskId) ?? 0) + 1);
      const drawn = random.next();
      if (drawn < 0.65) {
        return { images: wanted, state: 'succeeded' };
      }
      if (drawn < 0.75) {
        return { images: random.int(0, wanted), state: 'short' };
      }
      return drawn < 0.92 ? { images: 0, state: 'failed' } : { images: 0, state: 'refused' };
    },
  };
}
