import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOutbound } from '../../src/runtime/outbound/index.js';

const content = Buffer.from('{"a":"ü"}'.repeat(1_000));
const bodies: Readonly<Record<string, readonly [string, Buffer]>> = {
  gzip: ['gzip', gzipSync(content)],
  'x-gzip': ['X-Gzip', gzipSync(content)],
  deflate: ['deflate', deflateSync(content)],
  'deflate without a frame': ['deflate', deflateRawSync(content)],
  br: ['br', brotliCompressSync(content)],
  'gzip that is none': ['gzip', content],
};
let server: Server;
let origin = '';
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const [encoding = '', body = Buffer.alloc(0)] = bodies[name] ?? [
      'gzip',
      gzipSync(Buffer.alloc(5_000_000)),
    ];
    const length = name === 'large headers' ? 40_000 : 1;
    response.writeHead(200, { 'content-encoding': encoding, 'x-long': 'x'.repeat(length) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
const fetchBytes = (name: string, maxBytes = 1_000_000) =>
  createOutbound({ allow: new Set([new URL(origin).host]) }).fetchBytes({
    url: `${origin}/${encodeURIComponent(name)}`,
    maxBytes,
    timeoutMs: 5_000,
  });

describe('a response that is compressed unasked', () => {
  test.each(Object.keys(bodies))('a response that is compressed unasked is decoded: %s', async (name) => {
    expect((await fetchBytes(name)).bytes.equals(content)).toBe(true);
  });

  test('a response that is compressed unasked counts decoded', async () => {
    await expect(fetchBytes('bomb')).rejects.toMatchObject({ reason: 'too-large' });
  });

  test('a response with 40 kB of headers is taken', async () => {
    expect((await fetchBytes('large headers', 6_000_000)).bytes).toHaveLength(5_000_000);
  });
});
