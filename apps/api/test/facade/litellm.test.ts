import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  type Litellm,
  repositoryRoot,
  startLitellm,
  type TestAccount,
} from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createKeyMaker } from '../support/create-key-maker.js';
import { endTask } from '../support/end-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { countTasks, readStates } from './support/request-rows.js';
import { drawImages, startWorker, type TestWorker } from './support/start-worker.js';

// Set by .ci/litellm.
const { LITELLM_BIN } = process.env;

let api: TestApi;
let worker: TestWorker;
let owner: TestAccount;
let litellm: Litellm;

/** Starts LiteLLM with the config file of docs/clients/litellm.md and a key of the gateway. */
async function startRelay(program: string, as: TestAccount): Promise<Litellm> {
  const page = await readFile(path.join(repositoryRoot(), 'docs/clients/litellm.md'), 'utf8');
  const [, config = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? [];
  const settings = { GATEWAY_API_BASE: `${api.url}/openai/v1`, GATEWAY_KEY: as.apiKey };
  return startLitellm(program, { config, settings });
}

interface Attempt {
  readonly prompt: string;
  readonly retryCount?: number;
  readonly timeoutMs?: number;
}

/** Sends a request as OpenAI's SDKs do. */
async function send({ prompt, retryCount = 0, timeoutMs = 60_000, ...more }: Attempt & { stream?: boolean }) {
  const response = await fetch(`${litellm.url}/v1/images/generations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${litellm.key}`,
      'content-type': 'application/json',
      'x-stainless-retry-count': String(retryCount),
    },
    body: JSON.stringify({ model: 'nanobanana', prompt, ...more }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return {
    status: response.status,
    cost: response.headers.get('x-litellm-response-cost'),
    text: await response.text(),
  };
}

/** Sends a request and two repetitions whose client gives up, then a third one that waits while the task ends. */
async function repeat(prompt: string): Promise<{ readonly status: number; readonly text: string }> {
  for (const retryCount of [0, 1, 2]) {
    const left = await send({ prompt, retryCount, timeoutMs: 1_500 }).catch((error: unknown) => error);
    expect(left).toMatchObject({ name: 'TimeoutError' });
    await sleep(500);
  }
  const last = send({ prompt, retryCount: 3 });
  await sleep(1_500);
  for (const { id } of worker.seen.filter((task) => task.prompt === prompt)) {
    const images = drawImages(id, 1);
    await api.store.put(`images/${id}/0.png`, images[0] ?? Buffer.alloc(0), { contentType: 'image/png' });
    await endTask(api, id, { images });
  }
  return last;
}

const countCaptures = async (): Promise<number> => {
  const { rows } = await api.test.pool.query(
    "SELECT FROM ledger_transfers WHERE account_id = $1 AND kind = 'capture'",
    [owner.id],
  );
  return rows.length;
};

(LITELLM_BIN ? describe : describe.skip)('the facade behind LiteLLM, as docs/clients/litellm.md says', () => {
  beforeAll(async () => {
    api = await startApi();
    await api.store.ensureBucket();
    worker = startWorker(api);
  });
  afterAll(async () => {
    await worker.stop();
    await api.test.checkInvariants();
    await api.stop();
  });

  describe.each([
    ['a key whose equal requests share tasks', ['--join-equal', 'on'], 1],
    // The page warns of this.
    ['a key without that', [], 4],
  ] as const)('%s', (_name, options, tasks) => {
    beforeAll(async () => {
      owner = await api.account();
      litellm = await startRelay(LITELLM_BIN ?? '', await createKeyMaker(api, owner)(...options));
    }, 180_000);
    afterAll(() => litellm.stop());
    beforeEach(async () => {
      await api.test.pool.query('DELETE FROM facade_requests');
    });

    test(`a client that gives up three times pays for ${tasks} in all, and gets its image`, async () => {
      const { status, text } = await repeat(`wait for ${tasks}`);
      expect([status, text.includes('b64_json')]).toEqual([200, true]);
      await eventually(async () =>
        expect(new Set(await readStates(api.test))).toEqual(new Set(['delivered'])),
      );
      expect([await countTasks(api.test, owner), await countCaptures()]).toEqual([tasks, tasks]);
    });

    test('LiteLLM books the price of an image that the page gives it', async () => {
      const before = await countTasks(api.test, owner);
      const { status, cost } = await send({ prompt: 'a fox' });
      expect([status, Number(cost), await countTasks(api.test, owner)]).toEqual([200, 0.01, before + 1]);
    });
  });

  test('an image can be drawn again after its answer was delivered, by a key whose equal requests share tasks', async () => {
    owner = await api.account();
    litellm = await startRelay(LITELLM_BIN ?? '', await createKeyMaker(api, owner)('--join-equal', 'on'));
    try {
      await send({ prompt: 'a fox' });
      await eventually(async () => expect(await readStates(api.test)).toContain('delivered'));
      await send({ prompt: 'a fox' });
      expect(await countTasks(api.test, owner)).toBe(2);
    } finally {
      await litellm.stop();
    }
  }, 180_000);
});
