import type { Database } from '@image-gateway/shared/db';
import type { Producer } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import type { Attempt } from '../attempt/attempt.js';
import { release } from './release.js';

test.each([0, 2_000])('a task that is given back after %i ms has had its turn', async (delayMs) => {
  const seen: unknown[] = [];
  const add: Producer['add'] = async (_name, _payloads, options) => {
    seen.push(options);
    return 'queued';
  };
  const db: Pick<Database, 'run'> = { run: async <Row>() => [{}] as Row[] };
  const task = { id: 'gen_a', attempt: 3, requestId: 'req' };
  const attempt = { task, openKeys: new Set(), log: { info: () => undefined } } as unknown as Attempt;
  await release({ db, producer: { add } }, attempt, { delayMs, burnsTry: false, why: 'test' });
  // A little later than it is due, since a hint that comes too early finds nothing.
  expect(seen).toEqual([{ delayMs: delayMs === 0 ? 0 : delayMs + 50, turns: [1] }]);
});
