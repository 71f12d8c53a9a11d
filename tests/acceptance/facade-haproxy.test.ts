import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { query } from './support/product/database.js';
import { freePort } from './support/product/ports.js';
import type { Customer } from './support/scene.js';

const isInstalled = await promisify(execFile)('haproxy', ['-v']).then(
  () => true,
  () => false,
);
if (!isInstalled) {
  process.stderr.write('Not checked behind HAProxy, which is not installed here.\n');
}

let scene: FaultScene;
let folder: string;
const proxies: ChildProcess[] = [];
/** Behind the file of docs/proxies.md, and behind the same without the option that ends connections of clients that left. */
let documented: string;
let keeping: string;

/** Starts HAProxy with the file of docs/proxies.md on a port of this machine, without TLS and the line given. */
async function startProxy(without?: string): Promise<string> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/proxies.md'), 'utf8');
  const [, block = ''] = /^```haproxy\n(.*?)^```/ms.exec(page) ?? [];
  const port = await freePort();
  const lines = block
    .replace('server local 127.0.0.1:3000', `server local ${new URL(scene.product.url).host}`)
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .split('\n');
  const kept = without === undefined ? lines : lines.filter((line) => !line.includes(without));
  expect(kept).toHaveLength(lines.length - (without === undefined ? 0 : 1));
  const file = path.join(folder, `haproxy-${port}.cfg`);
  await writeFile(file, kept.join('\n'));
  proxies.push(spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] }));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/healthz`)).ok).toBe(true));
  return `${url}/openai/v1/images/generations`;
}

interface Attempt {
  readonly url: string;
  readonly customer: Customer;
  readonly body: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const send = ({ url, customer, body, headers = {}, signal }: Attempt): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Sends a request whose client leaves after 1.5 s, then its repetition, and returns the answer of that. */
async function repeat({ url, customer, body, headers = {} }: Attempt, marks: Record<string, string>) {
  const attempt = { url, customer, body, headers };
  // Errors of fetch are of another realm than the test's.
  const left = await send({ ...attempt, signal: AbortSignal.timeout(1_500) })
    .then((response) => response.text())
    .catch((error: unknown) => error);
  expect(left).toMatchObject({ name: 'TimeoutError' });
  // SDKs pause as long; without a mark HAProxy's end of the first connection must come before the repetition.
  await sleep(500);
  const response = await send({ ...attempt, headers: { ...headers, ...marks } });
  return { status: response.status, text: await response.text() };
}

const readFacts = async ({ id }: Customer) =>
  (
    await query(
      scene.product,
      `SELECT (SELECT count(*)::int FROM tasks WHERE account_id = $1) AS tasks,
              (SELECT count(*)::int FROM ledger_transfers WHERE account_id = $1 AND kind = 'capture') AS captures`,
      [id],
    )
  )[0];

const SLOW = { prompt: 'sandbox:fixed sandbox:delay=5000', size: '1024x1024' };
const MARK = { 'x-stainless-retry-count': '1' };

(isInstalled ? describe : describe.skip)('the facade behind HAProxy', () => {
  beforeAll(async () => {
    scene = await openFaultScene({ settings: { TRUST_PROXY: 'loopback' } });
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-haproxy-'));
    documented = await startProxy();
    keeping = await startProxy('option abortonclose');
  }, 700_000);
  afterAll(async () => {
    for (const proxy of proxies) {
      const ended = new Promise((resolve) => proxy.once('exit', resolve));
      proxy.kill();
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
    await scene.close();
  });

  test('a client that leaves and repeats its request pays once with the file of docs/proxies.md, marked or not', async () => {
    for (const marks of [MARK, {}]) {
      const customer = await scene.customer();
      const { status, text } = await repeat({ url: documented, customer, body: SLOW }, marks);
      expect([status, text.includes('b64_json')]).toEqual([200, true]);
      expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
    }
  }, 60_000);

  test.each([
    ['JSON', SLOW, 'b64_json'],
    ['a stream', { ...SLOW, stream: true }, 'event: image_generation.completed\n'],
  ])(
    'a client that leaves and marks its repetition pays once for %s, although HAProxy keeps its first connection open',
    async (_name, body, image) => {
      const customer = await scene.customer();
      const { status, text } = await repeat({ url: keeping, customer, body }, MARK);
      expect([status, text.includes(image)]).toEqual([200, true]);
      expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
    },
    60_000,
  );

  test('a client that leaves and repeats its idempotency key pays once, although HAProxy keeps its first connection open', async () => {
    const customer = await scene.customer();
    const headers = { 'idempotency-key': 'once' };
    const { status, text } = await repeat({ url: keeping, customer, body: SLOW, headers }, {});
    expect([status, text.includes('b64_json')]).toEqual([200, true]);
    expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
  }, 60_000);
});
