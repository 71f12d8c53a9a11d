import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { keysInBucket } from './support/product/bucket.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import type { Task } from './support/servers/wire.js';

let scene: Scene;
let customer: Customer;
let task: Task;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  task = await customer.client.run({ prompt: 'a stone bridge', num_outputs: 2 });
}, 700_000);
afterAll(() => scene.audit());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(task.output?.url ?? '', { method, headers });
const readBytes = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('a result file', () => {
  test('a result file is served without a key, with type, length, entity tag and caching for ever', async () => {
    const answer = await get();
    const bytes = await readBytes(answer);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^image\/(png|jpeg|webp)$/);
    expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
    expect(answer.headers.get('etag')).toMatch(/^(W\/)?"[^"]+"$/);
    expect(answer.headers.get('cache-control')).toMatch(/public.*max-age=\d{5,}.*immutable/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a result file has the bytes that were noted when it was stored', async () => {
    const sql =
      'SELECT key, bytes, sha256, content_type AS type FROM task_outputs WHERE task_id = $1 ORDER BY index';
    type Output = { key: string; bytes: number; sha256: string; type: string };
    const rows = await query<Output>(scene.product, sql, [task.id]);
    for (const [index, url] of (task.output?.urls ?? []).entries()) {
      const answer = await fetch(url);
      const bytes = await readBytes(answer);
      expect(url.endsWith(String(rows[index]?.key))).toBe(true);
      expect(rows[index]?.bytes).toBe(bytes.length);
      expect(rows[index]?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(answer.headers.get('content-type')).toBe(rows[index]?.type);
    }
  });

  test('a result file is served in parts: the first bytes, the last bytes, from the middle on', async () => {
    const whole = await readBytes(await get());
    const parts: [string, Buffer][] = [
      ['bytes=0-99', whole.subarray(0, 100)],
      ['bytes=-50', whole.subarray(-50)],
      [`bytes=${whole.length - 10}-`, whole.subarray(-10)],
    ];
    for (const [range, wanted] of parts) {
      const answer = await get({ range });
      expect(answer.status).toBe(206);
      expect((await readBytes(answer)).equals(wanted)).toBe(true);
      expect(answer.headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${whole.length}$`));
    }
  });

  test('a result file has no bytes behind its end: 416 in the envelope, with its size', async () => {
    const size = (await readBytes(await get())).length;
    const answer = await get({ range: `bytes=${size}-` });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    expect(await answer.json()).toMatchObject({ data: null, error: { code: 'RANGE_NOT_SATISFIABLE' } });
  });

  test('a result file is not sent again to who has it', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    const answer = await get({ 'if-none-match': etag });
    expect([answer.status, (await readBytes(answer)).length]).toEqual([304, 0]);
  });

  test('a result file can be asked about with HEAD', async () => {
    const answer = await get({}, 'HEAD');
    expect([answer.status, (await readBytes(answer)).length]).toEqual([200, 0]);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
  });

  test('exists for the own indexes only', async () => {
    const url = task.output?.url ?? '';
    const extension = url.split('.').at(-1);
    for (const other of ['2', '-1', '00', 'x']) {
      expect((await fetch(url.replace(`/0.${extension}`, `/${other}.${extension}`))).status).toBe(404);
    }
    expect((await fetch(url.replace(`0.${extension}`, '0.exe'))).status).toBe(404);
    expect((await fetch(url.replace(/0\.\w+$/, ''))).status).toBe(404);
  });
});

describe('images of a task that is not completed', () => {
  test('images of a task that is not completed are not served, and vanish when the task fails', async () => {
    const prompt = 'sandbox:fixed sandbox:outputs=1 sandbox:delay=15000';
    const { data } = await customer.client.generate({ prompt, num_outputs: 2 });
    const sql = 'SELECT key FROM task_outputs WHERE task_id = $1';
    const stored = await eventually(
      async () => {
        const [row] = await query<{ key: string }>(scene.product, sql, [data.id]);
        if (row === undefined) {
          throw new Error('nothing is stored');
        }
        return row.key;
      },
      { withinMs: 60_000 },
    );
    expect(await keysInBucket(scene.product, `images/${data.id}/`)).toEqual([stored]);
    const file = () => fetch(`${scene.product.url}/files/${stored}`);
    expect((await file()).status).toBe(404);
    await mustGateway(scene.product, 'task', 'fail', data.id, '--reason', 'no longer wanted');
    expect(await customer.client.task(data.id)).toMatchObject({ status: 'failed', cost: '$0.00' });
    expect((await file()).status).toBe(404);
    await eventually(async () => expect(await keysInBucket(scene.product, `images/${data.id}/`)).toEqual([]));
  });
});

describe('the bucket', () => {
  test('the bucket answers no request without a signature, neither for a image nor for the list', async () => {
    const { url, bucket } = scene.product.run().s3;
    const key = (task.output?.url ?? '').replace(/^.*\/images\//, 'images/');
    for (const target of [`${bucket}/${key}`, bucket, `${bucket}?list-type=2`, '']) {
      expect((await fetch(`${url}/${target}`)).status).toBe(403);
    }
    expect((await fetch(`${url}/${bucket}/images/planted.png`, { method: 'PUT', body: 'x' })).status).toBe(
      403,
    );
  });

  test('the bucket holds exactly the images that completed tasks name', async () => {
    const keys = await keysInBucket(scene.product, `images/${task.id}/`);
    const named = (task.output?.urls ?? []).map((url) => url.replace(/^.*\/images\//, 'images/'));
    expect(keys.sort()).toEqual(named.sort());
  });
});
