import type { Laboratory } from '../lab/start-laboratory.js';
import { heal } from '../scenarios/support/heal.js';
import { useProviders } from '../scenarios/support/use-providers.js';
import { compareBucket } from './compare-bucket.js';
import { findSecrets } from './find-secrets.js';

/** One check after all scenarios: its description and the faults that it found. */
export interface ClosingCheck {
  readonly what: string;
  readonly faults: readonly string[];
}

// A response 500 while PostgreSQL is unreachable, and a webhook sent again because its outcome could not be written.
// One scenario makes a catalog version unreadable.
const MAY_BE_SAID =
  /request failed$|outcome of a webhook was not saved|a catalog version cannot be read here|^postgres|an attempt failed$/;

/** Checks the whole system at rest. */
export async function closeRun(lab: Laboratory): Promise<ClosingCheck[]> {
  lab.now('closing');
  await useProviders(lab, 'sandbox');
  await heal(lab);
  const check = async (what: string, run: () => Promise<readonly string[]>): Promise<ClosingCheck> => {
    try {
      return { what, faults: await run() };
    } catch (error) {
      return { what, faults: [error instanceof Error ? error.message : String(error)] };
    }
  };
  return [
    await check('the bucket holds what completed tasks show, nothing more and nothing less', () =>
      compareBucket(lab),
    ),
    await check('all invariants of prisma/invariants.sql hold at rest', async () => {
      await lab.services.database.checkInvariants('rest');
      return [];
    }),
    await check('the live invariants held at every moment', () => Promise.resolve(lab.invariants.broken())),
    await check('no planted secret, key or password stands in logs, Redis or webhooks', () =>
      findSecrets(lab),
    ),
    await check('no job is left in Redis as failed or completed', async () => {
      const keys = await lab.services.redis('KEYS', '*:failed');
      return keys.startsWith('*0') ? [] : [keys];
    }),
    await check('no process has told of a bug', () =>
      Promise.resolve(
        Object.entries(lab.log.faults())
          .filter(([what]) => !MAY_BE_SAID.test(what))
          .map(([what, times]) => `${what} (${times} times)`),
      ),
    ),
  ];
}
