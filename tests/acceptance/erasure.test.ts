import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { newKey, readMoney } from './support/product/accounts.js';
import { keysInBucket } from './support/product/bucket.js';
import { query } from './support/product/database.js';
import type { Task } from './support/servers/wire.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene({ args: ['--api', '2'] });
}, 700_000);
afterAll(() => scene.close());

const GET_TRIES = 40;
const words = `otter${randomUUID().replaceAll('-', '')}`;

/** Adds words to a PNG as the comment that cameras and drawing programs write. */
function addComment(png: Buffer, text: string): Buffer {
  const content = Buffer.from(`tEXtComment\0${text}`, 'latin1');
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  // After the signature and the header.
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** Names of the tables that have the words in any row. */
async function findTables(): Promise<readonly string[]> {
  const tables = await query<{ name: string }>(
    scene.product,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await query<{ n: string }>(
        scene.product,
        `SELECT count(*) AS n FROM ${name} t WHERE strpos(t::text, $1) > 0`,
        [words],
      );
      return row?.n === '0' ? [] : [name];
    }),
  );
  return found.flat().sort();
}

/** Files of the gateway's folder that contain one of some byte sequences. The database has its own test: its log of changes is not data. */
async function findFiles(needles: readonly Buffer[]): Promise<readonly string[]> {
  const { dataDir } = scene.product;
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith(`postgres${path.sep}`));
  const found = await Promise.all(
    files.map(async (name) => {
      // A file may go while the folder is read.
      const bytes = await readFile(path.join(dataDir, name)).catch(() => Buffer.alloc(0));
      return needles.some((needle) => bytes.includes(needle)) ? [name] : [];
    }),
  );
  return found.flat().sort();
}

async function download(task: Task): Promise<Buffer> {
  const response = await fetch(task.output?.urls[0] ?? '');
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Edits an upload through the OpenAI-compatible facade, and returns its task. */
async function editUpload(client: Client, { key, image }: { key: string; image: Buffer }): Promise<Task> {
  const form = new FormData();
  form.set('prompt', `${words} uploaded`);
  form.set('image', new Blob([image], { type: 'image/png' }), 'a.png');
  const response = await fetch(`${scene.product.url}/openai/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const text = await response.text();
  expect({ status: response.status, error: response.status === 200 ? '' : text }).toEqual({
    status: 200,
    error: '',
  });
  return client.task(response.headers.get('x-gateway-task-id') ?? '');
}

test('after DELETE no byte of prompt, upload or image is in the database, the bucket or a log, and no process answers with the task', async () => {
  const customer = await scene.customer();
  const { key } = await newKey(scene.product, customer.id, '--scopes', 'generate,read,delete');
  const client = scene.caller(key);
  const webhook_url = scene.receiver.url('/erased');
  const generated = await client.run({ prompt: `${words} generated`, negative_prompt: words, webhook_url });
  const edited = await client.run({
    prompt: `${words} edited`,
    image_urls: generated.output?.urls,
    webhook_url,
  });
  const uploaded = await editUpload(client, { key, image: addComment(await download(generated), words) });
  const failed = await client.run({ prompt: `${words} sandbox:fail=moderation` });
  const tasks = [generated, edited, uploaded, failed];
  expect(tasks.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'failed']);
  const images = await Promise.all([generated, edited, uploaded].map(download));
  const needles = [
    Buffer.from(words),
    ...images.map((image) => image.subarray(image.length >> 1, (image.length >> 1) + 32)),
  ];
  expect(await findTables()).toEqual(['public.tasks']);
  const keys = [
    ...(await keysInBucket(scene.product, 'images/')),
    ...(await keysInBucket(scene.product, 'inputs/')),
  ];
  expect(keys).toHaveLength(4);
  const isEmbedded = existsSync(path.join(scene.product.dataDir, 's3'));
  expect((await findFiles(needles)).length).toBe(isEmbedded ? 4 : 0);
  const money = await readMoney(scene.product, customer.id);

  for (const { id } of tasks) {
    const { status } = await fetch(`${scene.product.url}/v1/tasks/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(status).toBe(204);
  }
  const url = `${scene.product.url}/v1/tasks/${generated.id}`;
  const files = tasks.flatMap(({ output }) => output?.urls ?? []);
  await eventually(
    async () => {
      // New connections, so that both processes answer.
      const headers = { authorization: `Bearer ${key}`, connection: 'close' };
      const answers = await Promise.all(
        Array.from({ length: GET_TRIES }, (_, at) =>
          fetch(at % 2 ? url : (files[at % files.length] ?? url), { headers }),
        ),
      );
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([404]);
    },
    { withinMs: 5_000, everyMs: 200 },
  );
  expect((await client.tasks()).items).toEqual([]);
  expect(await findTables()).toEqual([]);
  await eventually(
    async () => {
      expect(await keysInBucket(scene.product, '')).toEqual([]);
      expect(await findFiles(needles)).toEqual([]);
    },
    { everyMs: 500 },
  );
  expect(scene.product.log()).not.toContain(words);
  expect(await readMoney(scene.product, customer.id)).toEqual(money);

  const late = await client.run({ prompt: 'again', image_urls: generated.output?.urls });
  expect([late.status, late.cost]).toEqual(['failed', '$0.00']);
  expect(late.error).toContain('image_urls[0]');
});
