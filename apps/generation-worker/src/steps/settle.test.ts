import type { ClaimedTask } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Producer } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import { Attempt } from '../attempt/attempt.js';
import { type AttemptSettleDeps, settle } from './settle.js';

test.each([0, 2_000])(
  'a task that is released for %i ms is hinted at with the first turn',
  async (delayMs) => {
    const hints: unknown[] = [];
    const add: Producer['add'] = async (_name, _payloads, options) => {
      hints.push(options);
      return 'queued';
    };
    const db = { run: async () => [{}] };
    const metrics = { attempts: { inc: () => undefined } };
    const deps = { db, metrics, producer: { add } } as unknown as AttemptSettleDeps;
    const task = { id: 'gen_a', attempt: 3, requestId: 'req' } as ClaimedTask;
    const log = { info: () => undefined } as unknown as Logger;
    const attempt = new Attempt({ task, signal: new AbortController().signal, log });
    await settle(deps, attempt, { kind: 'release', delayMs, why: 'test' });
    // A little later than it is due, since an earlier hint finds nothing.
    expect(hints).toEqual([{ delayMs: delayMs === 0 ? 0 : delayMs + 50, turns: [1] }]);
  },
);
