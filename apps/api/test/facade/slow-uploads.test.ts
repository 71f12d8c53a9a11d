import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

const PATH = '/openai/v1/images/edits';
const MIB = 1024 * 1024;
const BEGINNING = '--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n';

let folder: string;
let api: TestApi;
let worker: TestWorker;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slow-uploads-'));
  api = await startApi({ FACADE_MAX_WAIT: '20', SPOOL_DIR: folder });
  await api.store.ensureBucket();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
  await rm(folder, { recursive: true });
});

/** Begins an upload that announces as many bytes as a form may have, and sends the first ones. */
function beginUpload({ apiKey }: TestAccount, beginning: string, type: string): http.ClientRequest {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type, 'content-length': 16 * MIB };
  const request = http.request(api.url + PATH, { method: 'POST', headers });
  request.on('error', () => undefined);
  request.write(beginning);
  // Above the least rate, so that none of them is cut off.
  const timer = setInterval(() => request.write('a'.repeat(10_000)), 1_000);
  request.once('close', () => clearInterval(timer));
  return request;
}

const edit = (to: TestApi, { apiKey }: TestAccount, body: FormData | string): Promise<Response> =>
  fetch(to.url + PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  });
const createForm = (bytes: Uint8Array<ArrayBuffer>): FormData => {
  const form = new FormData();
  form.append('prompt', 'night');
  form.append('image', new Blob([bytes]), 'a.png');
  return form;
};
/** Takes all places of an account: begins one upload more than it may have under way, and waits until one is refused. */
async function takePlaces(begin: (upload: number) => http.ClientRequest): Promise<http.ClientRequest[]> {
  const begun = Array.from({ length: 9 }, (_, upload) => begin(upload));
  const [refused] = await Promise.race(begun.map((request) => once(request, 'response')));
  expect((refused as http.IncomingMessage).statusCode).toBe(429);
  return begun;
}

describe('uploads that come slowly', () => {
  test('uploads that come slowly hold up no other account, whatever they announce', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => api.account()));
    const begun = await Promise.all(
      owners.map((owner) =>
        takePlaces((upload) =>
          upload % 2 === 0
            ? beginUpload(owner, BEGINNING + 'a'.repeat(MIB), 'multipart/form-data; boundary=x')
            : beginUpload(owner, `{"prompt": "${'a'.repeat(MIB)}`, 'application/json'),
        ),
      ),
    );
    const other = await api.account();
    const [form, json] = await Promise.all([
      edit(api, other, createForm(new Uint8Array(9 * MIB).fill(1))),
      edit(
        api,
        other,
        JSON.stringify({
          prompt: 'night',
          images: [{ image_url: `data:image/png;base64,${Buffer.alloc(9 * MIB, 2).toString('base64')}` }],
        }),
      ),
    ]);
    expect([form.status, json.status]).toEqual([200, 200]);
    const inputs = worker.seen.flatMap((task) => task.inputs);
    const stored = await Promise.all(
      inputs.map((entry) => api.store.read(entry.replace(/^input:/, 'inputs/'))),
    );
    expect(stored.map((bytes) => [bytes?.length, bytes?.at(-1)]).sort()).toEqual([
      [9 * MIB, 1],
      [9 * MIB, 2],
    ]);
    for (const request of begun.flat()) {
      request.destroy();
    }
  });

  test('uploads that clients give up amid a file free their places', async () => {
    const owner = await api.account();
    const begun = await takePlaces(() =>
      beginUpload(owner, BEGINNING + 'a'.repeat(MIB), 'multipart/form-data; boundary=x'),
    );
    for (const request of begun) {
      request.destroy();
    }
    await eventually(async () => {
      expect((await edit(api, owner, createForm(new Uint8Array([1])))).status).toBe(200);
    });
  });

  test('uploads wait on disk in files without a name', async () => {
    const owner = await api.account();
    const slow = beginUpload(owner, BEGINNING + 'a'.repeat(MIB), 'multipart/form-data; boundary=x');
    expect((await edit(api, owner, createForm(new Uint8Array([1])))).status).toBe(200);
    expect(await readdir(folder)).toEqual([]);
    slow.destroy();
  });

  test('uploads wait in a temporary folder where SPOOL_DIR cannot be written', async () => {
    const second = await startApi({ FACADE_MAX_WAIT: '1', SPOOL_DIR: '/dev/null/spool' });
    await second.store.ensureBucket();
    const { status } = await edit(second, await second.account(), createForm(new Uint8Array([1])));
    // No worker draws it, so that the wait ends.
    expect(status).toBe(503);
    const { rows } = await second.test.pool.query('SELECT image_urls FROM tasks');
    expect(rows).toHaveLength(1);
    expect(second.lines.some((line) => line.includes('uploads wait in a temporary folder'))).toBe(true);
    await second.stop();
  });
});
