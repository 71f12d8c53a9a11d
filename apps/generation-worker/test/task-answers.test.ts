import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { applyCatalog, eventually, type Listening, listen, takeEvents } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildTaskDocument, TASK_KEYS } from './support/build-documents.js';
import { drawImage } from './support/draw-image.js';
import { QUICK_PACE } from './support/quick-pace.js';
import { useWorld } from './support/use-world.js';

type Answer = (response: ServerResponse) => void;
const world = useWorld();
const DONE = { status: 'completed', results: ['IMAGE'] };
/** Route of the document at 1k. */
const LIST_MICROS = 1_000;

/** How the API answers a poll; that of a done job unless a test says otherwise. */
let onPoll: Answer;
let polls: number[] = [];
let submissions = 0;
let listening: Listening;
let address = '';
let image: Buffer;
const json = (body: object): Answer => {
  return (response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(body).replace('IMAGE', `${address}/image.png`));
};
const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const { method, url = '' } = request;
  if (method === 'POST') {
    submissions += 1;
    request.resume().once('end', () => json({ id: `job-${submissions}` })(response));
  } else if (url.endsWith('.png')) {
    response.setHeader('content-type', 'image/png').end(image);
  } else {
    polls.push(performance.now());
    onPoll(response);
  }
});

beforeAll(async () => {
  image = await drawImage('#3c3', { width: 1_376, height: 768 });
  listening = await listen(server);
  address = listening.url;
});
afterAll(() => listening.close());
beforeEach(async () => {
  polls = [];
  submissions = 0;
  onPoll = json(DONE);
  await world.sql('DELETE FROM endpoints');
  await world.sql('DELETE FROM operator_notices');
});

/** Starts a worker with the API alone, and submits a task of one image. */
async function submit(more: object = {}): Promise<string> {
  const poll = {
    path: '/tasks/{id}',
    status: '$.status',
    running: ['processing'],
    done: ['completed'],
    failed: ['failed'],
    images: '$.results[*]',
    error: '$.error',
    cost: '$.cost',
  };
  const version = await applyCatalog(world.test, buildTaskDocument(address, 'described', { poll, ...more }));
  world.start(null, {
    settings: { [TASK_KEYS]: 'a-key', PROVIDERS: 'task', SANDBOX_FALLBACK: 'false' },
    jobPace: QUICK_PACE,
  });
  return world.submit({}, { price: { unitMicros: 10_000n, catalogVersion: version } });
}
const findCosts = (id: string) =>
  world.sql('SELECT state, detail, cost_micros::int AS cost FROM provider_calls WHERE task_id = $1', [id]);
const listenAsOperator = () =>
  world.sql(
    "INSERT INTO endpoints (id, slot, url, host_port, types, secret) VALUES ('ep_1', 1, 'https://example.com/', 'example.com:443', '{provider.needs_operator}', 's')",
  );
const takeReasons = async (): Promise<unknown[]> =>
  (await takeEvents(world.test)).map(({ data }) => data.reason);

describe('the cost that a task API states', () => {
  test.each([
    [0.5, 500_000],
    ['$1.00', 1_000_000],
    ['0x10', LIST_MICROS],
    [-5, LIST_MICROS],
  ])(
    'is booked where it is a decimal of at most a dollar an image, else the list cost: %j',
    async (cost, booked) => {
      onPoll = json({ ...DONE, cost });
      const id = await submit();
      expect((await world.ended(id)).status).toBe('completed');
      expect(await findCosts(id)).toEqual([{ state: 'succeeded', detail: null, cost: booked }]);
    },
  );

  test.each([
    [1.000_001, '$1.000001'],
    [9_007_199_254, '$9007199254.0000'],
    ['1e9999', null],
  ])(
    'is the list cost where it is beyond all measure, and operators hear what was said: %j',
    async (cost, said) => {
      await listenAsOperator();
      onPoll = json({ ...DONE, cost });
      const id = await submit();
      expect((await world.ended(id)).status).toBe('completed');
      const detail = said === null ? null : 'stated-cost';
      expect(await findCosts(id)).toEqual([{ state: 'succeeded', detail, cost: LIST_MICROS }]);
      const told = said === null ? [] : [expect.stringContaining(`cost ${said}. More than $1.0000`)];
      expect(await takeReasons()).toEqual(told);
    },
  );
});

describe('the answers of a task API', () => {
  test('end the job where the address of an image is refused by its form', async () => {
    onPoll = json({ status: 'completed', results: ['http://a:b@127.0.0.1:1/image.png'] });
    const id = await submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', cost_micros: '0' });
    expect(polls.length).toBe(submissions);
    expect((await world.calls(id)).map(({ detail }) => detail)).toContain('bad-response');
  });

  test('are read up to 4 MiB where they have no images, and then asked for less and less often', async () => {
    let readBytes = 0;
    let isBroken = true;
    onPoll = (response) => {
      if (!isBroken) {
        return json(DONE)(response);
      }
      const chunk = '1,'.repeat(32 * 1024);
      response.socket?.setNoDelay(true);
      response.write('{"status":"processing","x":[');
      const pump = (): void => {
        while (!response.destroyed && response.write(chunk)) {
          // Until the other side reads no more.
        }
      };
      const { socket } = response;
      response.on('drain', pump).on('close', () => {
        readBytes = Math.max(readBytes, socket?.bytesWritten ?? 0);
      });
      pump();
    };
    const id = await submit();
    await eventually(() => expect(polls.length).toBeGreaterThanOrEqual(4), { timeoutMs: 90_000 });
    isBroken = false;
    expect((await world.ended(id, 60_000)).status).toBe('completed');
    expect(submissions).toBe(1);
    // Bytes that the kernel holds on both sides count as written.
    expect(readBytes).toBeLessThan(12 * 1024 * 1024);
    const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? 0));
    expect(gaps[2]).toBeGreaterThan(1.5 * (gaps[0] ?? 0));
  }, 180_000);
});
