import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openStore, type StoreUnderTest } from './running-store.js';

const objects = 2_000;
const atOnce = 32;

/** Many small puts, and listings of more than one page. */
export function loadConformance(under: StoreUnderTest): void {
  describe('load', () => {
    test('2,000 puts at 32 at once are all there, listed once each, and removed at one go', async () => {
      const store = openStore(under);
      const body = randomBytes(20_000);
      const keys = Array.from({ length: objects }, (_, i) => `load/${String(i).padStart(4, '0')}.png`);
      const queue = keys.values();
      const worker = async () => {
        for (const key of queue) {
          expect(await store.put(key, body, { contentType: 'image/png' })).toBe('stored');
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));

      expect(await store.list('load/')).toEqual(keys);
      expect((await store.read('load/1234.png'))?.equals(body)).toBe(true);
      await store.remove(keys);
      expect(await store.list('load/')).toEqual([]);
      store.close();
    });
  });
}
