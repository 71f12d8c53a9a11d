import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;

const json = { 'content-type': 'application/json' };
const good = JSON.stringify({ model: 'nanobanana', prompt: 'sandbox:fixed' });

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

const post = (body: string | Buffer, headers: Record<string, string> = json) =>
  customer.client.call('POST', '/v1/generate', { body, headers });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body that cannot be read is BAD_REQUEST', () => {
  const bodies: [string, string | Buffer][] = [
    ['broken JSON', '{"model":'],
    ['JSON with a comma too many', '{"model":"nanobanana",}'],
    ['single quotes', "{'model':'nanobanana'}"],
    ['NaN', '{"model":"nanobanana","prompt":"x","num_outputs":NaN}'],
    ['two values', `${good}${good}`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01])],
    ['brackets in brackets', nested(1_000)],
    [
      'a list of 1,001 entries',
      JSON.stringify({ model: 'nanobanana', prompt: 'x', image_urls: Array(1_001).fill('') }),
    ],
    ['257 KiB', JSON.stringify({ model: 'nanobanana', prompt: 'x', padding: 'a'.repeat(257 * 1024) })],
    ['10 MiB', JSON.stringify({ model: 'nanobanana', prompt: 'x', padding: 'a'.repeat(10 * 1024 * 1024) })],
  ];
  test.each(bodies)('%s', async (_, body) => {
    expectError(await post(body), 400, 'BAD_REQUEST');
  });

  const headers: [string, Record<string, string>][] = [
    ['no content type', {}],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a content type that is none', { 'content-type': 'json' }],
    ['an unknown charset', { 'content-type': 'application/json; charset=martian' }],
    ['latin1', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['an unknown encoding', { ...json, 'content-encoding': 'rot13' }],
    ['gzip that is none', { ...json, 'content-encoding': 'gzip' }],
    ['brotli that is none', { ...json, 'content-encoding': 'br' }],
  ];
  test.each(headers)('%s', async (_, sent) => {
    expectError(await post(good, sent), 400, 'BAD_REQUEST');
  });

  test('gzip that unpacks to more than 256 KiB', async () => {
    const bomb = gzipSync(
      JSON.stringify({ model: 'nanobanana', prompt: 'x', padding: 'a'.repeat(5_000_000) }),
    );
    expectError(await post(bomb, { ...json, 'content-encoding': 'gzip' }), 400, 'BAD_REQUEST');
  });
});

describe('a body that is JSON and no generate request is refused with 400', () => {
  test.each(['null', '[]', '"x"', '1', 'true', '{}', `[${good}]`, '', nested(10_000)])(
    '%.40s',
    async (body) => {
      const answer = await post(body);
      expect([answer.status, answer.envelope.data]).toEqual([400, null]);
      expect(['BAD_REQUEST', 'VALIDATION_ERROR']).toContain(answer.envelope.error?.code);
    },
  );

  test.each(['1e400', '1e3', '-0', '99999999999999999999', nested(20), '{}', '""'])(
    'num_outputs of %.40s',
    async (value) => {
      expectError(
        await post(`{"model":"nanobanana","prompt":"x","num_outputs":${value}}`),
        400,
        'VALIDATION_ERROR',
      );
    },
  );
});

describe('an odd body is answered with 202 or 400, and harms nothing', () => {
  test.each([
    ['a NUL in the prompt', '{"model":"nanobanana","prompt":"sandbox:fixed a\\u0000b"}'],
    ['a lone surrogate', '{"model":"nanobanana","prompt":"sandbox:fixed \\ud800"}'],
    [
      'a lone surrogate in the negative prompt',
      '{"model":"nanobanana","prompt":"x","negative_prompt":"\\udc00"}',
    ],
    ['a NUL in a URL', '{"model":"nanobanana","prompt":"x","webhook_url":"https://hooks.invalid/\\u0000"}'],
    ['the same field twice', '{"model":"other","model":"nanobanana","prompt":"sandbox:fixed"}'],
    [
      '__proto__',
      '{"model":"nanobanana","prompt":"sandbox:fixed","__proto__":{"polluted":true,"num_outputs":4}}',
    ],
    [
      'constructor',
      '{"model":"nanobanana","prompt":"sandbox:fixed","constructor":{"prototype":{"polluted":1}}}',
    ],
    [
      'deep nesting in an unknown field',
      `{"model":"nanobanana","prompt":"sandbox:fixed","x":${nested(10_000)}}`,
    ],
    ['many unknown fields', `{"model":"nanobanana","prompt":"sandbox:fixed"${',"a":1'.repeat(5_000)}}`],
    ['a byte order mark', `\ufeff${good}`],
    ['all kinds of line ends', '{"model":"nanobanana","prompt":"sandbox:fixed \\r\\n\\u2028\\u2029\\u0085"}'],
    ['text that SQL would mind', '{"model":"nanobanana","prompt":"sandbox:fixed \'; DROP TABLE tasks; --"}'],
  ])('%s', async (_, body) => {
    const answer = await post(body);
    expect([202, 400]).toContain(answer.status);
    if (answer.status === 202) {
      const task = await customer.client.finished((answer.data as { id: string }).id);
      expect(task).toMatchObject({ status: 'completed', cost: '$0.0100' });
      expect(task).not.toHaveProperty('polluted');
    }
  });

  test('gzip of a good body is as good as the body', async () => {
    expect((await post(gzipSync(good), { ...json, 'content-encoding': 'gzip' })).status).toBe(202);
  });

  test('the charset utf-8 may be named', async () => {
    expect((await post(good, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(202);
  });
});
