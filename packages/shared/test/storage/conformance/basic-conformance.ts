import { createHash, hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStore, type StoreUnderTest } from './running-store.js';

const png = { contentType: 'image/png' };

/** Put, look, read, list, remove. */
export function basicConformance(under: StoreUnderTest): void {
  describe('objects', () => {
    let store: ObjectStore;
    beforeAll(() => {
      store = openStore(under);
    });
    afterAll(() => store.close());

    test('an object comes back with its bytes, type, size, etag and metadata', async () => {
      const body = randomBytes(70_000);
      const metadata = { sha256: createHash('sha256').update(body).digest('hex'), Width: '1024' };
      expect(await store.put('basic/a.png', body, { ...png, metadata })).toBe('stored');

      const info = await store.stat('basic/a.png');
      expect(info).toMatchObject({ bytes: body.length, contentType: 'image/png' });
      expect(info?.metadata).toEqual({ sha256: metadata.sha256, width: '1024' });
      expect(info?.etag).toBe(createHash('md5').update(body).digest('hex'));
      expect(Math.abs((info?.lastModified.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
      expect((await store.read('basic/a.png'))?.equals(body)).toBe(true);
    });

    test('an object of no bytes and one of 8 MiB are stored whole', async () => {
      const large = randomBytes(8 * 1024 ** 2);
      await store.replace('basic/empty', Buffer.alloc(0), png);
      await store.replace('basic/large', large, png);
      expect((await store.read('basic/empty'))?.length).toBe(0);
      expect((await store.stat('basic/empty'))?.bytes).toBe(0);
      expect((await store.read('basic/large'))?.equals(large)).toBe(true);
    });

    test('a body that is read while it is sent is stored whole, and one that breaks off leaves nothing', async () => {
      const body = randomBytes(3_000_000);
      const streamed = {
        bytes: body.length,
        sha256: hash('sha256', body),
        open: () => Readable.from([body]),
      };
      expect(await store.put('basic/streamed', streamed, png)).toBe('stored');
      expect((await store.read('basic/streamed'))?.equals(body)).toBe(true);
      expect(await store.put('basic/streamed', streamed, png)).toBe('exists');
      const broken = async function* () {
        yield body.subarray(0, 1_000_000);
        await Promise.reject(new Error('the disk broke'));
      };
      const put = store.put('basic/broken', { ...streamed, open: () => Readable.from(broken()) }, png);
      await expect(put).rejects.toMatchObject({ name: 'StorageError' });
      expect(await store.stat('basic/broken')).toBeNull();
    });

    test('the first writer wins, and a late one changes nothing', async () => {
      expect(await store.put('basic/first', Buffer.from('first'), png)).toBe('stored');
      expect(await store.put('basic/first', Buffer.from('late'), { contentType: 'image/webp' })).toBe(
        'exists',
      );
      expect((await store.read('basic/first'))?.toString()).toBe('first');
      expect((await store.stat('basic/first'))?.contentType).toBe('image/png');
    });

    test('of twenty writers at once exactly one wins, and its object stays', async () => {
      const bodies = Array.from({ length: 20 }, () => randomBytes(50_000));
      const results = await Promise.all(bodies.map((body) => store.put('basic/race', body, png)));
      expect(results.filter((result) => result === 'stored')).toHaveLength(1);
      const winner = bodies[results.indexOf('stored')];
      expect((await store.read('basic/race'))?.equals(winner ?? Buffer.alloc(0))).toBe(true);
    });

    test('replace overwrites bytes, type and metadata', async () => {
      await store.put('basic/replaced', Buffer.from('old'), { ...png, metadata: { old: 'yes' } });
      await store.replace('basic/replaced', Buffer.from('newer'), { contentType: 'image/webp' });
      expect((await store.read('basic/replaced'))?.toString()).toBe('newer');
      expect(await store.stat('basic/replaced')).toMatchObject({
        contentType: 'image/webp',
        metadata: {},
        bytes: 5,
      });
    });

    test('what is not there is null', async () => {
      expect(await store.stat('basic/none')).toBeNull();
      expect(await store.read('basic/none')).toBeNull();
      expect(await store.stream('basic/none')).toBeNull();
      expect(await store.stream('basic/none', { start: 0, end: 1 })).toBeNull();
    });

    test('a removed object can be stored anew, and removing twice is no error', async () => {
      await store.put('basic/removed/x', Buffer.from('1'), png);
      await store.remove(['basic/removed/x', 'basic/removed/never']);
      await store.remove(['basic/removed/x']);
      await store.remove([]);
      expect(await store.stat('basic/removed/x')).toBeNull();
      expect(await store.put('basic/removed/x', Buffer.from('2'), png)).toBe('stored');
    });

    test('a listing names exactly the keys under its prefix, in order', async () => {
      const keys = [
        'list/a-b',
        'list/a/0.png',
        'list/a/1.png',
        'list/a/10.png',
        'list/a b&c.png',
        'lists/no',
      ];
      await Promise.all(keys.map((key) => store.put(key, Buffer.from(key), png)));
      expect(await store.list('list/')).toEqual([
        'list/a b&c.png',
        'list/a-b',
        'list/a/0.png',
        'list/a/1.png',
        'list/a/10.png',
      ]);
      expect(await store.list('list/a/1')).toEqual(['list/a/1.png', 'list/a/10.png']);
      expect(await store.list('list/none/')).toEqual([]);
    });

    test('ensureBucket makes a bucket once, also when two do so at a time', async () => {
      const bucket = `fresh-${randomBytes(4).toString('hex')}`;
      const fresh = openStore(under, { ...under.running().root, bucket });
      await expect(fresh.ping()).rejects.toMatchObject({ fault: 'no-bucket' });
      await Promise.all([fresh.ensureBucket(), fresh.ensureBucket()]);
      await fresh.ensureBucket();
      await fresh.ping();
      expect(await fresh.put('a', Buffer.from('a'), png)).toBe('stored');
      fresh.close();
    });
  });

  describe('parts and streams', () => {
    const body = randomBytes(3 * 1024 ** 2);
    let store: ObjectStore;
    beforeAll(async () => {
      store = openStore(under);
      await store.put('stream/a', body, png);
    });
    afterAll(() => store.close());

    test.each([
      [0, 0],
      [0, 9],
      [10, 1_000_009],
      [body.length - 1, body.length - 1],
      [0, body.length - 1],
    ])('bytes %i to %i arrive, with the size of the whole', async (start, end) => {
      const part = await store.stream('stream/a', { start, end });
      const chunks: Buffer[] = [];
      for await (const chunk of part?.body ?? []) {
        chunks.push(chunk as Buffer);
      }
      expect(Buffer.concat(chunks).equals(body.subarray(start, end + 1))).toBe(true);
      expect(part?.info.bytes).toBe(body.length);
    });

    test('a range outside of the object is an error that says so', async () => {
      await expect(store.stream('stream/a', { start: body.length, end: body.length })).rejects.toMatchObject({
        fault: 'range',
        retryable: false,
      });
    });

    test('more streams than there are connections can be given up without blocking the next', async () => {
      for (let round = 0; round < 3; round += 1) {
        const streams = await Promise.all(Array.from({ length: 100 }, () => store.stream('stream/a')));
        for (const stream of streams) {
          stream?.body.destroy();
        }
      }
      const next = await store.stream('stream/a');
      next?.body.destroy();
      expect(next?.info.bytes).toBe(body.length);
    });

    test('an object above the cap is not read', async () => {
      await expect(store.read('stream/a', body.length - 1)).rejects.toMatchObject({
        fault: 'too-large',
        retryable: false,
      });
      expect((await store.read('stream/a', body.length))?.length).toBe(body.length);
    });
  });
}
