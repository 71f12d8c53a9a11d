import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { Client } from 'minio';
import { openStore, type RunningStore, type StoreUnderTest } from './running-store.js';

const png = { contentType: 'image/png' };

/** Checks the state after a cut connection or a killed server. */
export function crashConformance(under: StoreUnderTest): void {
  describe('half-finished puts', () => {
    test('a put that is cut midway leaves nothing and changes nothing, and its key can be taken', async () => {
      const store = openStore(under);
      const body = randomBytes(1024 ** 2);
      await store.replace('cut/kept', Buffer.from('kept'), png);
      for (let i = 0; i < 10; i += 1) {
        await cutPut(under.running(), `cut/${i}`, body);
        await cutPut(under.running(), 'cut/kept', body);
      }
      // The server may still be busy with what was cut; it has ended when the last key can be taken.
      await eventually(async () => expect(await store.put('cut/9', body, png)).toBe('stored'));
      expect(await store.list('cut/')).toEqual(['cut/9', 'cut/kept']);
      expect((await store.read('cut/9'))?.equals(body)).toBe(true);
      expect((await store.read('cut/kept'))?.toString()).toBe('kept');
      store.close();
    });

    test('a server killed in the middle of puts keeps every acknowledged object, and none in parts', async () => {
      const store = openStore(under, { timeoutMs: 5_000 });
      for (let round = 0; round < 3; round += 1) {
        const bodies = new Map<string, Buffer>();
        const acknowledged: string[] = [];
        const enough = 20 + round * 7;
        const writer = async () => {
          for (;;) {
            const key = `kill/${round}/${bodies.size}.png`;
            const body = randomBytes(100_000 + bodies.size * 100);
            bodies.set(key, body);
            await store.put(key, body, png);
            acknowledged.push(key);
            if (acknowledged.length === enough) {
              under.running().kill('SIGKILL');
            }
          }
        };
        // Each goes on until the server is gone.
        await Promise.allSettled(Array.from({ length: 16 }, writer));
        await under.running().start();

        const there = await eventually(() => store.list(`kill/${round}/`));
        expect(there).toEqual(expect.arrayContaining(acknowledged));
        for (const key of there) {
          expect((await store.read(key))?.equals(bodies.get(key) ?? Buffer.alloc(0))).toBe(true);
          expect((await store.stat(key))?.contentType).toBe('image/png');
        }
      }
      store.close();
    });
  });
}

/** A well signed put whose connection ends in the middle of its body; resolves when it has ended. */
async function cutPut(store: RunningStore, key: string, body: Buffer): Promise<void> {
  const url = new URL(store.url);
  const request = ((options: http.RequestOptions, onResponse: (answer: http.IncomingMessage) => void) => {
    const real = http.request(options, onResponse);
    real.end = () => {
      // Our side of the connection ends; the server's ends once it has seen that.
      real.write(body.subarray(0, body.length / 2), () => real.socket?.end());
      return real;
    };
    return real;
  }) as typeof http.request;
  const client = new Client({
    endPoint: url.hostname,
    port: Number(url.port),
    useSSL: false,
    region: 'us-east-1',
    accessKey: store.accessKey,
    secretKey: store.secretKey,
    transport: { request },
    transportAgent: new http.Agent(),
    retryOptions: { disableRetry: true },
  });
  const outcome = await client.putObject(store.bucket, key, body, body.length).then(
    () => 'stored',
    () => 'cut',
  );
  if (outcome !== 'cut') {
    throw new Error('the put was not cut');
  }
}
