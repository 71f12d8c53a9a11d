import { StorageError } from '@image-gateway/shared/storage';
import { describe, expect, test } from '@jest/globals';
import { checkStorage } from '../../../../../apps/api/src/doctor/check-storage.js';
import { openStore, type StoreUnderTest, settingsFor } from './running-store.js';

const png = { contentType: 'image/png' };

/** Checks that access needs the right keys. */
export function accessConformance(under: StoreUnderTest): void {
  describe('access', () => {
    test.each([
      ['secret key', { secretKey: 'wrong-secret-key-wrong-secret-key' }],
      ['access key', { accessKey: 'wrongaccesskey' }],
    ])('a wrong %s is refused whatever is asked', async (_, wrong) => {
      const right = openStore(under);
      await right.replace('access/a', Buffer.from('a'), png);
      const store = openStore(under, wrong);
      const calls = [
        () => store.put('access/b', Buffer.from('b'), png),
        () => store.replace('access/a', Buffer.from('b'), png),
        () => store.read('access/a'),
        () => store.stream('access/a'),
        () => store.list('access/'),
        () => store.remove(['access/a']),
        () => store.ping(),
      ];
      for (const call of calls) {
        const error = await call().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(StorageError);
        expect(error).toMatchObject({ fault: 'refused', retryable: true });
      }
      // The answer to a HEAD says nothing but its status, and one server takes 404 for it.
      const seen = await store.stat('access/a').catch((error: unknown) => error);
      expect(seen === null || seen instanceof StorageError).toBe(true);
      expect((await right.read('access/a'))?.toString()).toBe('a');
      expect(await right.list('access/')).toEqual(['access/a']);
    });

    test('an unsigned request is refused, and changes nothing', async () => {
      const { url, bucket } = under.running();
      const store = openStore(under);
      await store.replace('access/c', Buffer.from('not for everybody'), png);
      const requests: [string, string][] = [
        ['GET', `${bucket}/access/c`],
        ['HEAD', `${bucket}/access/c`],
        ['GET', bucket],
        ['GET', `${bucket}?list-type=2&prefix=access/`],
        ['GET', ''],
        ['PUT', `${bucket}/access/d`],
        ['DELETE', `${bucket}/access/c`],
        ['PUT', 'another-bucket'],
      ];
      for (const [method, path] of requests) {
        const answer = await fetch(`${url}/${path}`, {
          method,
          ...(path.endsWith('/d') ? { body: 'x' } : {}),
        });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        expect(await answer.text()).not.toMatch(/not for everybody|<Contents>|<Bucket>/);
      }
      expect(await store.list('access/c')).toEqual(['access/c']);
      expect(await store.stat('access/d')).toBeNull();
    });

    test('the doctor reports no fault, and leaves no object behind', async () => {
      const checks = await checkStorage(settingsFor(under), { publicRead: false });
      expect(checks.filter(({ level }) => level !== 'ok')).toEqual([]);
      expect(checks).toHaveLength(7);
      expect(await openStore(under).list('doctor/')).toEqual([]);
    });
  });
}
