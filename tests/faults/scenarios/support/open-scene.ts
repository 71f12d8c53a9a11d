import { createTestAccount } from '@image-gateway/testing';
import type { Laboratory } from '../../lab/start-laboratory.js';
import { startLoad } from '../../load/start-load.js';
import type { Submission } from '../../load/submission.js';
import { submit } from '../../load/submit.js';
import type { Random } from '../../random.js';
import type { Customer, Scenario, Scene } from '../scenario.js';

/** Everything that a scene has noted. */
export interface SceneNotes {
  readonly faults: string[];
  readonly figures: Record<string, number>;
  readonly customers: { customer: Customer; readonly submissions: Submission[] }[];
  injected: number;
}

const BALANCE_MICROS = 100_000_000n;
const RETRY_TIMEOUT_MS = 45_000;

/** Opens the scene of a scenario. */
export async function openScene(
  lab: Laboratory,
  scenario: Pick<Scenario, 'name' | 'balanceMicros'>,
  random: Random,
): Promise<{ readonly scene: Scene; readonly notes: SceneNotes }> {
  const notes: SceneNotes = { faults: [], figures: {}, customers: [], injected: 0 };
  const run = Math.floor(random.next() * 1e9).toString(36);
  let loads = 0;

  const open = async (paidInMicros: bigint): Promise<Customer & Pick<Scene, 'load' | 'submitOne'>> => {
    const account = await createTestAccount(lab.services.database, { balanceMicros: paidInMicros });
    const customer = { ...account, paidInMicros };
    const submissions: Submission[] = [];
    notes.customers.push({ customer, submissions });
    const deps = {
      apiKey: account.apiKey,
      urls: lab.fleet.apiUrls,
      hookUrl: lab.receiver.url,
      retryTimeoutMs: RETRY_TIMEOUT_MS,
      random,
    };
    const nextName = (): string => {
      loads += 1;
      return `${scenario.name}-${run}-${loads}`;
    };
    return {
      ...customer,
      load: (options) => {
        const load = startLoad({ ...deps, name: nextName() }, options);
        const done = load.done.then((all) => {
          submissions.push(...all);
          return all;
        });
        return { ...load, done };
      },
      submitOne: async (wish, { key } = {}) => {
        const sent = await submit(deps, { requestId: nextName(), idempotencyKey: key ?? null, wish });
        submissions.push(sent);
        return sent;
      },
    };
  };
  const own = await open(scenario.balanceMicros ?? BALANCE_MICROS);
  const scene: Scene = {
    lab,
    random,
    customer: own,
    load: own.load,
    submitOne: own.submitOne,
    noted: (submission) => void notes.customers[0]?.submissions.push(submission),
    another: (balanceMicros = BALANCE_MICROS) => open(balanceMicros),
    credited: (micros) => {
      const [first] = notes.customers;
      if (first) {
        first.customer = { ...first.customer, paidInMicros: first.customer.paidInMicros + micros };
      }
    },
    injected: (count = 1) => {
      notes.injected += count;
    },
    must: (isSo, what) => {
      if (!isSo) {
        notes.faults.push(what);
      }
    },
    figure: (name, value) => {
      notes.figures[name] = Math.round(value * 10) / 10;
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
  return { scene, notes };
}
