import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkAnswer } from './support/check-answer.js';
import { expectError } from './support/expect-error.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

/** Writes bytes to a socket as they are, and parses what comes back until the server closes. */
function rawExchange(
  text: string,
): Promise<{ status: number; headers: Record<string, string>; text: string }> {
  const { hostname, port } = new URL(scene.product.url);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', (error) => (parts.length > 0 ? undefined : reject(error)));
    socket.on('close', () => {
      const [head = '', ...body] = Buffer.concat(parts).toString().split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      const headers = fields.map((field) => [
        field.split(':')[0]?.toLowerCase(),
        field.replace(/^[^:]*:\s*/, ''),
      ]);
      resolve({
        status: Number(line.split(' ')[1]),
        headers: Object.fromEntries(headers),
        text: body.join('\r\n\r\n'),
      });
    });
  });
}

describe('a task id', () => {
  test.each([
    "gen_'",
    'gen_%27%20OR%201=1--',
    'gen_%00',
    'gen_%0a',
    '..%2f..%2fusage',
    '%2e%2e%2fgenerate',
    'gen_%F0%9F%A6%8A',
    '__proto__',
    'null',
    '*',
    'x',
    'g'.repeat(10_000),
  ])('%.60s that names nothing is 404', async (id) => {
    expectError(await customer.client.call('GET', `/v1/tasks/${id}`), 404, 'NOT_FOUND');
  });

  test.each(['%', '%zz', '%c3%28', 'gen_%'])('%s that is no text at all is 400 or 404', async (id) => {
    const { status } = await customer.client.call('GET', `/v1/tasks/${id}`);
    expect([400, 404]).toContain(status);
  });
});

describe('paths', () => {
  test.each([
    '//v1/tasks',
    '/v1//tasks',
    '/v1/../v1/tasks',
    '/V1/tasks',
    '/v1/tasks//',
    '/v1/tasks?',
    '/v1/tasks#x',
  ])('%s gets a documented answer', async (target) => {
    expect([200, 400, 401, 404]).toContain((await customer.client.call('GET', target)).status);
  });

  test.each([
    '/files/images/../../etc/passwd',
    '/files/images/..%2f..%2f..%2fetc%2fpasswd/0.png',
    '/files/images/gen_x/..%2f..%2f0.png',
    '/files/images/%00/0.png',
    '/files/images/gen_0000000000000000000000/0.png',
    '/files/images/gen_0000000000000000000000/',
  ])('%s never leaves the images: 404', async (target) => {
    expectError(await customer.client.call('GET', target), 404, 'NOT_FOUND');
  });
});

describe('headers', () => {
  const key = () => `authorization: Bearer ${customer.key}\r\n`;
  const get = (extra: string, target = '/v1/tasks') =>
    rawExchange(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${extra}\r\n`);
  const expectDocumented = async (exchange: ReturnType<typeof rawExchange>, allowed: number[]) => {
    const answer = await exchange;
    checkAnswer({ method: 'GET', target: '(raw)', ...answer }, undefined);
    expect(allowed).toContain(answer.status);
  };

  test('a token of 8 kB is UNAUTHORIZED', async () => {
    await expectDocumented(get(`authorization: Bearer ${'x'.repeat(8_000)}\r\n`), [401]);
  });
  test('a token of 16 kB and one of 100 kB are refused in the envelope', async () => {
    await expectDocumented(get(`authorization: Bearer ${'x'.repeat(16_384)}\r\n`), [400, 401]);
    await expectDocumented(get(`authorization: Bearer ${'x'.repeat(100_000)}\r\n`), [400, 401]);
  });
  test('a URL of 100 kB is refused in the envelope', async () => {
    await expectDocumented(get(key(), `/v1/tasks?x=${'a'.repeat(100_000)}`), [400]);
  });
  test('a request that is no HTTP is refused in the envelope', async () => {
    await expectDocumented(rawExchange('NONSENSE\r\n\r\n'), [400]);
    await expectDocumented(get('bad header line\r\n'), [400]);
  });
  test('two Authorization headers never give access to more than one key would', async () => {
    await expectDocumented(get(`authorization: Bearer x\r\n${key()}`), [400, 401]);
  });
  test('a hundred headers are no trouble', async () => {
    const many = Array.from({ length: 90 }, (_, i) => `x-extra-${i}: ${i}\r\n`).join('');
    await expectDocumented(get(key() + many), [200]);
  });
  test('a length and chunks at once, the trick of request smuggling, are refused', async () => {
    const smuggle = `POST /v1/generate HTTP/1.1\r\nhost: x\r\n${key()}content-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n`;
    await expectDocumented(rawExchange(smuggle), [400]);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'A1.b_c-d', 'x'.repeat(128)])('%.20s is kept', async (id) => {
    const answer = await customer.client.call('GET', '/v1/tasks', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'ü', '<script>', 'a,b', '"'])('%.20s is replaced', async (id) => {
    const answer = await customer.client.call('GET', '/v1/tasks', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).not.toBe(id);
  });

  test('X-Request-Id is new for each request and stands on errors too', async () => {
    const ids = await Promise.all(
      ['/v1/tasks', '/v1/tasks?page=0', '/nothing'].map(
        async (target) => (await customer.client.call('GET', target)).headers['x-request-id'],
      ),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('answers', () => {
  test('do not say what the server is made of', async () => {
    const { headers } = await customer.client.call('GET', '/v1/tasks');
    expect(headers['x-powered-by']).toBeUndefined();
  });
});
