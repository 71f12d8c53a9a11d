import type { Random } from '../random.js';
import { drawWish } from './mix.js';
import type { Submission, Wish } from './submission.js';
import { submit } from './submit.js';

/** How much is submitted, and what. */
export interface LoadOptions {
  readonly count: number;
  /** How many are under way at a time; 16 unless given. */
  readonly concurrency?: number;
  /** Requests a second at most; without a limit unless given. */
  readonly perSecond?: number;
  readonly wish?: (random: Random) => Omit<Wish, 'webhook_url'>;
  /** How webhook receivers answer; `ok` for most and `flaky` for some unless given, null for no webhook. */
  readonly hook?: ((random: Random) => string | null) | null;
  /** The share of requests that carry an idempotency key and are repeated; 0.5 unless given. */
  readonly keyed?: number;
}

/** A load under way. */
export type Load = ReturnType<typeof startLoad>;

/** Dependencies of a load. */
export interface LoadDeps {
  readonly apiKey: string;
  readonly urls: readonly string[];
  readonly hookUrl: (way: string, rest: string) => string;
  readonly random: Random;
  /** Unlike that of any other load. */
  readonly name: string;
  readonly retryTimeoutMs: number;
}

const KEYED = 0.5;
const AT_A_TIME = 16;

/** Begins to submit. */
export function startLoad(deps: LoadDeps, options: LoadOptions) {
  const { random, name, hookUrl } = deps;
  const { count, concurrency = AT_A_TIME, perSecond, wish = drawWish, keyed = KEYED } = options;
  const hook = options.hook === undefined ? drawHook : options.hook;
  /** Submissions with a known result so far, in the order of their responses. */
  const submissions: Submission[] = [];
  let next = 0;
  let stopped = false;
  const begun = Date.now();
  const client = async (): Promise<void> => {
    while (next < count && !stopped) {
      const number = next;
      next += 1;
      if (perSecond !== undefined) {
        const dueIn = begun + (number / perSecond) * 1_000 - Date.now();
        if (dueIn > 0) {
          await new Promise((resolve) => setTimeout(resolve, dueIn));
        }
      }
      const requestId = `${name}-${number}`;
      const way = hook?.(random) ?? null;
      const sent = await submit(deps, {
        requestId,
        idempotencyKey: random.chance(keyed) ? `key-${requestId}` : null,
        wish: { ...wish(random), ...(way !== null && { webhook_url: hookUrl(way, requestId) }) },
      });
      submissions.push(sent);
      // A refused connection must not use up all submissions in no time.
      if (sent.outcome === 'unknown') {
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    }
  };
  const done = Promise.all(Array.from({ length: concurrency }, client)).then(() => submissions);
  return {
    submissions,
    done,
    /** Submits nothing more. */
    stop: () => {
      stopped = true;
    },
  };
}

function drawHook(random: Random): string | null {
  const drawn = random.next();
  if (drawn < 0.75) {
    return 'ok';
  }
  return drawn < 0.9 ? 'flaky' : null;
}
