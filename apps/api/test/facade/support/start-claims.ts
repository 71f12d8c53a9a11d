import { type Accepted, acceptGeneration } from '@image-gateway/shared/billing';
import { withTimeout } from '@image-gateway/shared/concurrency';
import type { Database } from '@image-gateway/shared/db';
import { newRequestId } from '@image-gateway/shared/ids';
import { createLogger } from '@image-gateway/shared/logging';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import { createAcceptDeps, type TestAccount, type TestDatabase } from '@image-gateway/testing';
import { type AnswerOrder, createAnswerClaims } from '../../../src/openai/answers/claim-answer.js';
import { createRequestRegister } from '../../../src/openai/undelivered/create-request-register.js';

/** Options of a request; all requests are equal unless given. */
export interface ClaimOptions {
  readonly prompt?: string;
  readonly fingerprint?: RequestFingerprint;
  readonly retryCount?: number;
  readonly joinEqual?: boolean;
  readonly idempotencyKey?: string;
  readonly waitMs?: number;
  readonly closed?: AbortSignal;
  /** Lets the submit fail after its commit. */
  readonly losesResponse?: boolean;
  /** The submit begins after it. */
  readonly submitAfter?: Promise<void>;
}

/** Claims of one API process. */
export type TestClaims = ReturnType<typeof startClaims>;

/** Times of a process of a test in milliseconds; its first seconds are over. */
export const TIMES = { renewMs: 200, checkMs: 60_000, sweepMs: 60_000, youngMs: 0 };

/** Starts what claims answers in an API process, without the process. */
export function startClaims(test: TestDatabase, times = TIMES) {
  const stops: (() => Promise<unknown>)[] = [];
  let isDead = false;
  const run: Database['run'] = (...statement) =>
    isDead ? Promise.reject(new Error('this process is dead')) : test.db.run(...statement);
  const db = { run };
  const register = createRequestRegister({
    db,
    times,
    logger: createLogger({ service: 'test', level: 'error', write: () => undefined }),
    shutdown: { register: (_group, _name, stop) => stops.push(async () => stop(1_000)) },
  });
  const stopping = new AbortController();
  const claimAnswer = createAnswerClaims({
    db,
    register,
    stopping: stopping.signal,
    onEvent: () => undefined,
  });
  const accept = createAcceptDeps(db);
  return {
    claim: ({ id: accountId, apiKeyId }: TestAccount, options: ClaimOptions = {}) => {
      const { prompt = 'a fox', idempotencyKey, losesResponse = false, submitAfter, ...more } = options;
      const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
      const submit: AnswerOrder['submit'] = async (waiting): Promise<Accepted> => {
        await submitAfter;
        const accepted = await acceptGeneration(accept, {
          accountId,
          apiKeyId,
          requestId: newRequestId(),
          waiting,
          ...keyed,
          request: {
            model: 'nanobanana',
            prompt,
            aspect_ratio: '16:9',
            num_outputs: 1,
            resolution: '1k',
          },
        });
        if (losesResponse) {
          throw new Error('connection lost');
        }
        return accepted;
      };
      return claimAnswer({
        accountId,
        apiKeyId,
        submit,
        ...keyed,
        fingerprint: { first: Buffer.alloc(32, prompt), added: Buffer.alloc(32) },
        retryCount: 0,
        joinEqual: false,
        waitMs: 10_000,
        closed: new AbortController().signal,
        ...more,
      });
    },
    /** Ends the process as `kill -9` does: nothing is renewed or recorded any more, nor waited for longer than a moment. */
    kill: async () => {
      isDead = true;
      await withTimeout(5_000, Promise.all(stops.map((stop) => stop())));
    },
    stopping,
  };
}
