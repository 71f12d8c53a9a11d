import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endTask } from '../support/end-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { countTasks, readStates } from './support/request-rows.js';
import { drawImages, startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
let owner: TestAccount;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '20' });
  await api.store.ensureBucket();
  worker = startWorker(api);
});
beforeEach(async () => {
  await api.test.pool.query('DELETE FROM facade_requests');
  owner = await api.account();
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

const PATH = '/openai/v1/images/generations';
const WAIT = { prompt: 'wait', model: 'gpt-image-1' };
const post = (body: object, headers: Record<string, string> = {}) =>
  api.call(PATH, { as: owner, body, headers });
const findNewestTask = async (): Promise<string> => {
  const { rows } = await api.test.pool.query<{ id: string }>(
    'SELECT id FROM tasks WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1',
    [owner.id],
  );
  return rows[0]?.id ?? '';
};
/** Sends a request and cuts its connection once its task waits. */
async function cut(body: object = WAIT, headers: Record<string, string> = {}): Promise<string> {
  const leaving = new AbortController();
  const response = fetch(api.url + PATH, {
    method: 'POST',
    signal: leaving.signal,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', ...headers },
  });
  response.catch(() => undefined);
  await eventually(async () => expect(await readStates(api.test)).toContain('waiting'));
  const id = await findNewestTask();
  await eventually(() => expect(worker.seen.map((task) => task.id)).toContain(id));
  leaving.abort();
  await eventually(async () => expect(await readStates(api.test)).not.toContain('waiting'));
  return id;
}
const complete = async (id: string): Promise<void> => {
  const images = drawImages(id, 1);
  await api.store.put(`images/${id}/0.png`, images[0] ?? Buffer.alloc(0), { contentType: 'image/png' });
  await endTask(api, id, { images });
};
const sent = (headers: Headers): string | null => headers.get('x-gateway-task-id');

describe('a repeated request', () => {
  test('a repeated request whose connection was cut gets the images of its task, and only once', async () => {
    const id = await cut();
    await complete(id);
    const { status, headers, text } = await post(WAIT);
    expect([status, sent(headers)]).toEqual([200, id]);
    expect(JSON.parse(text)).toMatchObject({
      data: [{ b64_json: drawImages(id, 1)[0]?.toString('base64') }],
    });
    const next = post(WAIT, { 'x-stainless-timeout': '6' });
    expect(sent((await next).headers)).not.toBe(id);
    expect(await countTasks(api.test, owner)).toBe(2);
  });

  test('waits for the same task while that is under way, also after several waits that the gateway ended', async () => {
    const ended = await post(WAIT, { 'x-stainless-timeout': '6' });
    expect([ended.status, ended.headers.get('x-should-retry')]).toEqual([503, 'true']);
    expect((await post(WAIT, { 'x-stainless-timeout': '6' })).status).toBe(503);
    const waiting = post(WAIT);
    await eventually(async () => expect(await readStates(api.test)).toEqual(['waiting']));
    const id = await findNewestTask();
    await complete(id);
    expect(sent((await waiting).headers)).toBe(id);
    expect(await countTasks(api.test, owner)).toBe(1);
  });

  test('a repeated request gets the error of a task that failed meanwhile once; the one after it is a new task', async () => {
    const id = await cut();
    await endTask(api, id, { images: [], reason: 'The upstream provider failed.' });
    const failed = await post(WAIT);
    expect([failed.status, sent(failed.headers)]).toEqual([400, id]);
    await eventually(async () => expect(await readStates(api.test)).toEqual(['delivered']));
    await post(WAIT, { 'x-stainless-timeout': '6', 'x-stainless-retry-count': '1' });
    expect(await countTasks(api.test, owner)).toBe(2);
  });

  test('a repeated request of a stream that was cut gets the events of its task', async () => {
    const body = { ...WAIT, stream: true };
    const id = await cut(body);
    await complete(id);
    const { text } = await post(body);
    expect(text).toContain(`"task_id":"${id}"`);
    await eventually(async () => expect(await readStates(api.test)).toEqual(['delivered']));
  });

  test('a repeated request says by its count that an answer may have been lost after it was written', async () => {
    const first = await post({ prompt: 'a fox' });
    await eventually(async () => expect(await readStates(api.test)).toEqual(['delivered']));
    const repeated = await post({ prompt: 'a fox' }, { 'x-stainless-retry-count': '1' });
    expect(sent(repeated.headers)).toBe(sent(first.headers));
    expect(sent((await post({ prompt: 'a fox' })).headers)).not.toBe(sent(first.headers));
  });

  test('a repeated request joins its task while a relay keeps the first connection, and both answers are whole', async () => {
    const first = post(WAIT);
    await eventually(async () => expect(await readStates(api.test)).toEqual(['waiting']));
    const id = await findNewestTask();
    const repeated = post(WAIT, { 'x-stainless-retry-count': '1' });
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        'SELECT retry_count FROM facade_requests WHERE task_id = $1',
        [id],
      );
      expect(rows).toEqual([{ retry_count: 1 }]);
    });
    await complete(id);
    const image = { data: [{ b64_json: drawImages(id, 1)[0]?.toString('base64') }] };
    for (const { status, headers, text } of await Promise.all([first, repeated])) {
      expect([status, sent(headers)]).toEqual([200, id]);
      expect(JSON.parse(text)).toMatchObject(image);
    }
    await eventually(async () => expect(await readStates(api.test)).toEqual(['delivered']));
    const { rows } = await api.test.pool.query(
      "SELECT count(*)::int FROM ledger_transfers WHERE account_id = $1 AND kind = 'capture'",
      [owner.id],
    );
    expect([await countTasks(api.test, owner), rows]).toEqual([1, [{ count: 1 }]]);
  });

  test('a repeated request of a 202 that was not written out gets the same 202', async () => {
    const body = { prompt: 'wait', async: true };
    const first = await post(body);
    await eventually(async () => expect(await readStates(api.test)).toEqual(['delivered']));
    await api.test.pool.query("UPDATE facade_requests SET state = 'abandoned'");
    const again = await post(body);
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      202,
      first.text,
      first.headers.get('location'),
    ]);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await countTasks(api.test, owner)).toBe(1);
  });
});

test('two users behind one key never get the images of each other', async () => {
  const id = await cut({ ...WAIT, user: 'ann' });
  await complete(id);
  const quick = { 'x-stainless-timeout': '6' };
  const others = [
    { ...WAIT, user: 'bob' },
    WAIT,
    { ...WAIT, user: 'ann', n: 2 },
    { ...WAIT, prompt: 'wait 2' },
  ];
  for (const body of others) {
    expect((await post(body, quick)).status).toBe(503);
  }
  expect(sent((await post({ ...WAIT, user: 'ann' })).headers)).toBe(id);
});

test('edits are equal when the bytes of their images are, whatever the form looks like', async () => {
  const edit = async (image: string, name: string, seconds = '6') => {
    const form = new FormData();
    form.append(name, new Blob([image], { type: 'image/png' }), 'input.png');
    form.append('prompt', 'wait');
    return fetch(`${api.url}/openai/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'x-stainless-timeout': seconds },
      body: form,
    });
  };
  for (const [image, name] of [
    ['fox', 'image'],
    ['fox', 'image[]'],
    ['dog', 'image'],
  ] as const) {
    expect((await edit(image, name)).status).toBe(503);
  }
  const id = worker.seen.at(-2)?.id ?? '';
  await complete(id);
  const answer = await edit('fox', 'image', '60');
  expect([answer.status, sent(answer.headers)]).toEqual([200, id]);
  expect(await countTasks(api.test, owner)).toBe(2);
});

test('a request that is refused for want of money leaves nothing to take over', async () => {
  const poor = await api.account({ balanceMicros: 0n });
  const { status } = await api.call(PATH, { as: poor, body: WAIT });
  expect([status, await readStates(api.test)]).toEqual([403, []]);
});

test('a stop abandons all waiting requests before their connections end', async () => {
  const other = await startApi();
  const account = await other.account();
  const waiting = [{}, { stream: true }].map((more) =>
    other.call(PATH, { as: account, body: { ...WAIT, ...more } }),
  );
  await eventually(async () => expect(await readStates(other.test)).toEqual(['waiting', 'waiting']));
  await other.shutdown.run('test');
  await Promise.all(waiting);
  expect(await readStates(other.test)).toEqual(['abandoned', 'abandoned']);
  await other.stop();
});
