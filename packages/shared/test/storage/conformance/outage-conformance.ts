import { randomBytes } from 'node:crypto';
import { type ObjectStore, StorageError } from '@image-gateway/shared/storage';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkStorage } from '../../../../../apps/api/src/doctor/check-storage.js';
import { openStore, type StoreUnderTest, settingsFor } from './running-store.js';

const png = { contentType: 'image/png' };
const timeoutMs = 1_000;
/** Tolerance for a busy machine. */
const slackMs = 1_500;

/** A server that is gone, and one that hangs. */
export function outageConformance(under: StoreUnderTest): void {
  describe('outage', () => {
    const body = randomBytes(200_000);
    let store: ObjectStore;
    beforeAll(async () => {
      store = openStore(under, { timeoutMs });
      await store.replace('outage/a', body, png);
    });
    afterAll(() => store.close());

    const calls: [string, () => Promise<unknown>][] = [
      ['put', () => store.put(`outage/${randomBytes(4).toString('hex')}`, body, png)],
      ['replace', () => store.replace('outage/a', body, png)],
      ['stat', () => store.stat('outage/a')],
      ['read', () => store.read('outage/a')],
      ['stream', () => store.stream('outage/a')],
      ['list', () => store.list('outage/')],
      ['remove', () => store.remove(['outage/none'])],
      ['ensureBucket', () => store.ensureBucket()],
      ['ping', () => store.ping()],
    ];

    async function expectFaults(faults: string[]): Promise<void> {
      const outcomes = await Promise.all(
        calls.map(async ([name, call]) => {
          const started = performance.now();
          const error = await call().then(
            () => null,
            (thrown: unknown) => thrown,
          );
          const late = performance.now() - started > timeoutMs + slackMs;
          const known = error instanceof StorageError && faults.includes(error.fault) && error.retryable;
          return { name, known, late };
        }),
      );
      expect(outcomes).toEqual(calls.map(([name]) => ({ name, known: true, late: false })));
    }

    test('while the server is gone every call fails in time, and works once it is back', async () => {
      under.running().kill('SIGKILL');
      await expectFaults(['unreachable']);
      await under.running().start();
      await eventually(() => store.ping());
      expect((await store.read('outage/a'))?.equals(body)).toBe(true);
    });

    test('while the server hangs every call fails in time, and works once it goes on', async () => {
      under.running().kill('SIGSTOP');
      try {
        // On a busy machine a thread of the server may still answer before all of them stand still.
        await eventually(() => expect(store.ping()).rejects.toMatchObject({ fault: 'timeout' }));
        await expectFaults(['timeout']);
        const [check] = await checkStorage(settingsFor(under), { publicRead: false });
        expect(check).toMatchObject({ level: 'fault', remediation: expect.stringContaining('S3_ENDPOINT') });
      } finally {
        under.running().kill('SIGCONT');
      }
      await eventually(() => store.ping());
      await store.replace('outage/b', body, png);
      expect((await store.read('outage/b'))?.equals(body)).toBe(true);
    });
  });
}
