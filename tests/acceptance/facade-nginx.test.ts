import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { freePort } from './support/product/ports.js';
import type { Customer } from './support/scene.js';

const isInstalled = await promisify(execFile)('nginx', ['-v']).then(
  () => true,
  () => false,
);
if (!isInstalled) {
  process.stderr.write('Not checked behind nginx, which is not installed here.\n');
}

let scene: FaultScene;
let customer: Customer;
let folder: string;
let nginx: ChildProcess;
let url: string;
/** The same over HTTP/2 without TLS. */
let http2Url: string;
/** A request for an image that takes longer than the gateway lets anybody wait behind a proxy. */
let waiting: Promise<Answer>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly ms: number;
}

// `REAL_TIMES=true` runs this with the wait that the gateway has by default, which is just below a minute.
const MAX_WAIT_S = process.env.REAL_TIMES === 'true' ? 55 : 15;
const SLOW_IMAGE = { prompt: `sandbox:fixed sandbox:delay=${(MAX_WAIT_S + 9) * 1_000}`, size: '1024x1024' };

/** Writes the file of docs/proxies.md for a port of this machine, without TLS. */
async function writeConfiguration(port: number, http2Port: number): Promise<string> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/proxies.md'), 'utf8');
  const [, block = ''] = /^```nginx\n(.*?)^```/ms.exec(page) ?? [];
  const site = block
    .replace('server 127.0.0.1:3000;', `server ${new URL(scene.product.url).host};`)
    .replace(/listen 443 ssl http2;.*/, `listen 127.0.0.1:${port}; listen 127.0.0.1:${http2Port} http2;`)
    .replace(/^ *ssl_certificate\w* .*$/gm, '');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr crit; events {}\nhttp { access_log off; ${folders.join(' ')}\n${site} }`,
  );
  return file;
}

async function generate(body: object): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(`${url}/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ms: performance.now() - begun };
}

/** Posts a body of so many bytes over HTTP/2, and returns the answer, whether or not all of the body was sent by then. */
function postLarge(path: string, bytes: number): Promise<{ readonly status: number; readonly text: string }> {
  const session = http2.connect(http2Url);
  const request = session.request({
    ':method': 'POST',
    ':path': path,
    authorization: `Bearer ${customer.key}`,
    'content-type': 'application/json',
    'content-length': String(bytes),
  });
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    let status = 0;
    let text = '';
    session.once('error', reject);
    request.once('error', reject);
    request.once('response', (headers) => {
      status = Number(headers[':status']);
    });
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.once('close', () => resolve({ status, text }));
    request.end(Buffer.alloc(bytes, ' '));
  }).finally(() => session.destroy());
}

(isInstalled ? describe : describe.skip)('the facade behind the nginx of docs/proxies.md', () => {
  beforeAll(async () => {
    // As a gateway is behind a proxy: images may take longer than it lets anybody wait.
    const settings = {
      TRUST_PROXY: 'loopback',
      TASK_DEADLINE_MS: '300000',
      FACADE_MAX_WAIT: String(MAX_WAIT_S),
    };
    scene = await openFaultScene({ settings });
    customer = await scene.customer();
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-nginx-'));
    // Its workers run as another user, and keep large bodies there.
    await chmod(folder, 0o755);
    const [port, http2Port] = [await freePort(), await freePort()];
    http2Url = `http://127.0.0.1:${http2Port}`;
    url = `http://127.0.0.1:${port}/openai/v1/images`;
    nginx = spawn('nginx', ['-p', folder, '-c', await writeConfiguration(port, http2Port)], {
      stdio: 'inherit',
    });
    for (let tries = 0; tries < 100; tries++) {
      if (
        await fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      ) {
        waiting = generate(SLOW_IMAGE);
        return;
      }
      await sleep(100);
    }
    throw new Error('nginx does not answer');
  }, 700_000);
  afterAll(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
    await scene.close();
  });

  test('a stream passes without a gap over 15 s', async () => {
    const response = await fetch(`${url}/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'sandbox:fixed sandbox:delay=11500', stream: true }),
    });
    let text = '';
    let last = performance.now();
    let gap = 0;
    for await (const chunk of response.body ?? []) {
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
      text += Buffer.from(chunk as Uint8Array).toString();
    }
    expect(text.match(/^: waiting$/gm)?.length).toBeGreaterThan(1);
    expect(text).toContain('event: image_generation.completed\n');
    expect(gap).toBeLessThan(15_000);
  });

  test.each([
    ['700 kB', 700_000],
    ['20 MB', 20_000_000],
  ])(
    'a body that is too large is answered by the gateway, over HTTP/2 too: one of %s',
    async (_size, bytes) => {
      const begun = performance.now();
      const { status, text } = await postLarge('/v1/generate', bytes);
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/^\{"data":null,"error":\{"code":"BAD_REQUEST"/),
      ]);
      expect(performance.now() - begun).toBeLessThan(10_000);
    },
  );

  test('an upload of 90 MB arrives', async () => {
    const form = new FormData();
    form.append('prompt', 'sandbox:fixed');
    const file = new Blob([new Uint8Array(10 * 1024 * 1024)]);
    for (let index = 0; index < 9; index++) {
      form.append('image[]', file, 'image.png');
    }
    const headers = { authorization: `Bearer ${customer.key}` };
    const response = await fetch(`${url}/edits`, { method: 'POST', headers, body: form });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('image[0]: is not a PNG, JPEG or WebP image'),
    ]);
  });

  test('a wait is ended by the gateway and not by nginx, and the repetition gets the image that was paid for once', async () => {
    const { status, headers, text, ms } = await waiting;
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '1', 'true']);
    expect(JSON.parse(text)).toMatchObject({
      error: { message: expect.stringContaining('Repeat the same request') },
    });
    expect(ms).toBeGreaterThan((MAX_WAIT_S - 1) * 1_000);
    const again = await generate(SLOW_IMAGE);
    expect([again.status, again.text.length > 100]).toEqual([200, true]);
    expect((await customer.client.tasks()).items.filter(({ cost }) => cost !== '$0.00')).toHaveLength(2);
  });
});
