import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import { freePort } from './support/product/ports.js';
import type { Customer } from './support/scene.js';

interface Proxy {
  readonly title: string;
  readonly program: string;
  /** Option that prints the version. */
  readonly version: string;
  /** Arguments that start it in the foreground. */
  readonly start: (file: string, port: number) => readonly string[];
  /** Changes the block of docs/proxies.md to one for a port of this machine, without TLS. */
  readonly adapt: (block: string, port: number, gateway: URL) => string;
}

const MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'];
const PROXIES = {
  haproxy: {
    title: 'HAProxy',
    program: 'haproxy',
    version: '-v',
    start: (file) => ['-db', '-f', file],
    adapt: (block, port, { host }) =>
      block
        .replace('server local 127.0.0.1:3000', `server local ${host}`)
        .replace(/bind .*/, `bind 127.0.0.1:${port}`),
  },
  apache: {
    title: 'Apache httpd',
    program: 'apache2',
    version: '-v',
    start: (file) => ['-D', 'FOREGROUND', '-f', file],
    adapt: (block, port, { host }) =>
      [
        ...MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
        `Listen 127.0.0.1:${port}\nServerName localhost\nErrorLog /dev/null\nPidFile apache-${port}.pid`,
        `DefaultRuntimeDir .\nMutex sem\nServerRoot ${folder}`,
        block
          .replace('*:443', `127.0.0.1:${port}`)
          .replace('127.0.0.1:3000', host)
          .replace(/^ *SSL.*$/gm, ''),
      ].join('\n'),
  },
  lighttpd: {
    title: 'lighttpd',
    program: 'lighttpd',
    version: '-v',
    start: (file) => ['-D', '-f', file],
    adapt: (block, port, gateway) =>
      `server.bind = "127.0.0.1"\nserver.port = ${port}\nserver.document-root = "${folder}"\n${block.replace('3000', gateway.port)}`,
  },
  vcl: {
    title: 'Varnish',
    program: 'varnishd',
    version: '-V',
    start: (file, port) => ['-F', '-f', file, '-a', `127.0.0.1:${port}`, '-n', path.join(folder, 'varnish')],
    adapt: (block, _port, gateway) => block.replace('"3000"', `"${gateway.port}"`),
  },
} satisfies Record<string, Proxy>;
type ProxyName = keyof typeof PROXIES;

const installed = new Set<ProxyName>();
for (const [name, { program, version, title }] of Object.entries(PROXIES)) {
  await promisify(execFile)(program, [version]).then(
    () => installed.add(name as ProxyName),
    () => process.stderr.write(`Not checked behind ${title}, which is not installed here.\n`),
  );
}
const behind = (name: ProxyName) => (installed.has(name) ? describe : describe.skip);

let scene: FaultScene;
let folder: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  if (installed.size > 0) {
    scene = await openFaultScene({ settings: { TRUST_PROXY: 'loopback' } });
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-proxies-'));
    // Varnish reads its file as a user of its own.
    await chmod(folder, 0o755);
  }
}, 700_000);
afterAll(async () => {
  for (const proxy of running) {
    const ended = new Promise((resolve) => proxy.once('exit', resolve));
    proxy.kill();
    await ended;
  }
  if (installed.size > 0) {
    await rm(folder, { recursive: true, force: true });
    await scene.close();
  }
});

/** Starts a proxy with its block of docs/proxies.md, without the line given; returns the URL in front of the gateway. */
async function startProxy(name: ProxyName, without?: string): Promise<string> {
  const { program, start, adapt }: Proxy = PROXIES[name];
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/proxies.md'), 'utf8');
  const [, block = ''] = new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  const lines = block.split('\n');
  const kept = without === undefined ? lines : lines.filter((line) => !line.includes(without));
  expect(kept).toHaveLength(lines.length - (without === undefined ? 0 : 1));
  const port = await freePort();
  const file = path.join(folder, `${name}-${port}.conf`);
  await writeFile(file, adapt(kept.join('\n'), port, new URL(scene.product.url)));
  running.push(spawn(program, start(file, port), { stdio: ['ignore', 'ignore', 'inherit'] }));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/healthz`)).ok).toBe(true));
  return url;
}

interface Attempt {
  readonly url: string;
  readonly customer: Customer;
  readonly body: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const send = ({ url, customer, body, headers = {}, signal }: Attempt): Promise<Response> =>
  fetch(`${url}/openai/v1/images/generations`, {
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
  // SDKs pause as long; without a mark the proxy's end of the first connection must come before the repetition.
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

behind('haproxy')('the facade behind HAProxy', () => {
  /** With the block of docs/proxies.md, and with the same without the option that ends connections of clients that left. */
  let documented: string;
  let keeping: string;
  beforeAll(async () => {
    documented = await startProxy('haproxy');
    keeping = await startProxy('haproxy', 'option abortonclose');
  });

  test('a client that leaves and repeats its request pays once with the file of docs/proxies.md, marked or not', async () => {
    for (const marks of [MARK, {}]) {
      const customer = await scene.customer();
      const { status, text } = await repeat({ url: documented, customer, body: SLOW }, marks);
      expect([status, text.includes('b64_json')]).toEqual([200, true]);
      expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
    }
  });

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
  );

  test('a client that leaves and repeats its idempotency key pays once, although HAProxy keeps its first connection open', async () => {
    const customer = await scene.customer();
    const headers = { 'idempotency-key': 'once' };
    const { status, text } = await repeat({ url: keeping, customer, body: SLOW, headers }, {});
    expect([status, text.includes('b64_json')]).toEqual([200, true]);
    expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
  });
});

describe.each(['apache', 'lighttpd', 'vcl'] as const)(
  'the facade behind a proxy that keeps connections: %s',
  (name) => {
    const check = installed.has(name) ? test : test.skip;
    let url: string;
    beforeAll(async () => {
      url = installed.has(name) ? await startProxy(name) : '';
    });

    check(
      'a client that leaves and repeats its request pays once if it marks it, or if its key joins equal requests',
      async () => {
        const [marking, joining] = [await scene.customer(), await scene.customer()];
        await mustGateway(scene.product, 'key', 'update', joining.keyId, '--join-equal', 'on');
        for (const [customer, marks] of [
          [marking, MARK],
          [joining, {}],
        ] as const) {
          const { status, text } = await repeat({ url, customer, body: SLOW }, marks);
          expect([status, text.includes('b64_json')]).toEqual([200, true]);
          expect(await readFacts(customer)).toEqual({ tasks: 1, captures: 1 });
        }
      },
    );

    check('events of a task arrive before it ends', async () => {
      const { client, key } = await scene.customer();
      const { id } = (await client.generate({ model: 'nanobanana', prompt: 'sandbox:delay=3000' })).data;
      const response = await fetch(`${url}/v1/tasks/${id}/events`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const chunks: string[] = [];
      for await (const chunk of response.body ?? []) {
        chunks.push(Buffer.from(chunk).toString());
      }
      expect([chunks[0]?.includes('completed'), chunks.join('').includes('completed')]).toEqual([
        false,
        true,
      ]);
    });

    check('a file of eight megabytes arrives whole', async () => {
      const { key } = await scene.customer();
      const body = await sharp(randomBytes(3 * 1640 * 1640), {
        raw: { width: 1640, height: 1640, channels: 3 },
      })
        .png({ compressionLevel: 0 })
        .toBuffer();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/png' };
      const response = await fetch(`${url}/v1/files`, {
        method: 'POST',
        headers,
        body: Uint8Array.from(body),
      });
      expect([response.status, ((await response.json()) as { data: { bytes: number } }).data]).toMatchObject([
        200,
        { bytes: body.length },
      ]);
    });
  },
);
