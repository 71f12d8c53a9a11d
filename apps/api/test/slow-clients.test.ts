import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Sends a text byte by byte, one every 200 ms, after a first part. Resolves with the lifetime of the connection and the response. */
function drip(first: string, then: string): Promise<{ readonly ms: number; readonly said: string }> {
  return new Promise((resolve) => {
    const begun = performance.now();
    let said = '';
    let sent = 0;
    const socket = net.connect(api.port, '127.0.0.1', () => socket.write(first));
    const timer = setInterval(() => socket.writable && socket.write(then[sent++ % then.length] ?? ''), 200);
    socket.on('data', (data) => {
      said += data.toString();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ ms: performance.now() - begun, said });
    });
  });
}

describe('clients that send too slowly', () => {
  test('clients that send too slowly are cut off within 20 s, with an envelope, while others are served, and unused connections without a word', async () => {
    const { apiKey } = await api.account();
    const headers = Array.from({ length: 50 }, () => drip('GET /v1/tasks HTTP/1.1\r\nx: ', 'a'));
    const body = `POST /v1/generate HTTP/1.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const bodies = Array.from({ length: 50 }, () => drip(body, ' '));
    const slow = [...headers, ...bodies];
    const unused = drip('', '');
    let ended = 0;
    for (const client of slow) {
      void client.then(() => (ended += 1));
    }
    expect((await api.call('/healthz')).status).toBe(200);
    expect(ended).toBe(0);
    for (const { ms, said } of await Promise.all(slow)) {
      expect(ms).toBeLessThan(20_000);
      expect(said).toMatch(/^HTTP\/1\.1 400 /);
      expect(said).toContain('"code":"BAD_REQUEST"');
    }
    // Opened ahead, as connection pools do: words on it would answer a request that was never sent.
    expect(await unused).toEqual({ ms: expect.any(Number), said: '' });
  });
});
