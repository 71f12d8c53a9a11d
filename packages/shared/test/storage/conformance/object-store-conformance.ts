import { afterAll, beforeAll, describe } from '@jest/globals';
import { accessConformance } from './access-conformance.js';
import { basicConformance } from './basic-conformance.js';
import { crashConformance } from './crash-conformance.js';
import { loadConformance } from './load-conformance.js';
import { outageConformance } from './outage-conformance.js';
import type { RunningStore } from './running-store.js';

/** Everything the gateway relies on, run against one kind of object store. */
export function objectStoreConformance(name: string, start: () => Promise<RunningStore>): void {
  describe(name, () => {
    let store: RunningStore | undefined;
    beforeAll(async () => {
      store = await start();
    });
    afterAll(async () => store?.stop());

    const running = () => {
      if (store === undefined) {
        throw new Error(`${name} is not running`);
      }
      return store;
    };
    basicConformance({ running });
    accessConformance({ running });
    loadConformance({ running });
    crashConformance({ running });
    outageConformance({ running });
  });
}
