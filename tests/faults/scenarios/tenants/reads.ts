import { callHttp } from '../../load/http-client.js';
import type { Customer, Scenario, Scene } from '../scenario.js';

const HELD_MS = 6_000;
const READERS = 60;
/** Pause of a reader after an answer: with its readers an account asks several times as often as a key may in production. */
const PAUSE_MS = 1_000;
const MAX_DELAY_MS = 1_500;
const TASKS = 200;

/** Reads far pages of a list until it is stopped; counts the answers by status. */
function startReaders({ lab, customer, sleep }: Scene): {
  readonly statuses: ReadonlyMap<number, number>;
  readonly stop: () => Promise<void>;
} {
  const statuses = new Map<number, number>();
  let stopped = false;
  const urls = lab.fleet.apiUrls;
  const readers = Array.from({ length: READERS }, async (_, i) => {
    const url = `${urls[i % urls.length]}/v1/usage?page=10000&per_page=100`;
    while (!stopped) {
      const { status } = await callHttp({ url, headers: authorize(customer) });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  });
  return {
    statuses,
    stop: async () => {
      stopped = true;
      await Promise.all(readers);
    },
  };
}

/** Polls a task over and over; gives the slowest answer in milliseconds. */
async function pollUntil(
  { lab, sleep, must }: Scene,
  customer: Customer,
  id: string,
  isOver: () => boolean,
): Promise<number> {
  let slowestMs = 0;
  for (let i = 0; !isOver(); i++) {
    const begun = performance.now();
    const url = `${lab.fleet.apiUrls[i % lab.fleet.apiUrls.length]}/v1/tasks/${id}`;
    const { status } = await callHttp({ url, headers: authorize(customer) });
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    must(status === 200, `a poll of another account was answered ${status}`);
    await sleep(50);
  }
  return slowestMs;
}

const authorize = ({ apiKey }: Customer): { authorization: string } => ({
  authorization: `Bearer ${apiKey}`,
});

/** Lists that are held up, asked for by one account more often than it may. */
export const readScenarios: readonly Scenario[] = [
  {
    name: 'reads-held-up',
    tenants: { worstMs: 'slowest submit of others ms', cost: ['slowest poll of others ms', 'reads refused'] },
    fault: `one account asks for far pages of its usage, ${READERS} at a time, while each is held up by a lock for ${HELD_MS / 1_000} s`,
    outcome: 'its reads wait or end in 503; submits and polls of another account are answered within 1.5 s',
    // The lock holds up the end of tasks, too: they write what the list reads.
    restWithinMs: 30_000,
    run: async (scene) => {
      const other = await scene.another();
      const first = await other.submitOne({ prompt: 'sandbox:fixed' });
      const holder = await scene.lab.services.database.pool.connect();
      holder.on('error', () => scene.must(false, 'the lock was lost'));
      const readers = startReaders(scene);
      try {
        // Usage is read by lists and written when tasks end; no submit and no poll needs it.
        await holder.query('BEGIN; LOCK TABLE usage_records IN ACCESS EXCLUSIVE MODE');
        scene.injected();
        const until = Date.now() + HELD_MS;
        await scene.sleep(500);
        const wish = () => ({ prompt: 'sandbox:fixed' });
        const load = other.load({ count: TASKS, perSecond: 40, keyed: 0, wish, hook: null });
        const polls = pollUntil(scene, other, first.taskId ?? '', () => Date.now() > until);
        const slowestPoll = await polls;
        await holder.query('ROLLBACK');
        const submissions = await load.done;
        const slowest = Math.max(...submissions.map(({ slowestMs }) => slowestMs));
        scene.figure('slowest submit of others ms', slowest);
        scene.figure('slowest poll of others ms', slowestPoll);
        scene.figure('reads refused', readers.statuses.get(503) ?? 0);
        scene.must(slowest < MAX_DELAY_MS, `a submit of another account took ${slowest} ms`);
        scene.must(slowestPoll < MAX_DELAY_MS, `a poll of another account took ${slowestPoll} ms`);
        scene.must((readers.statuses.get(503) ?? 0) > 0, 'no read was held up');
      } finally {
        await readers.stop();
        holder.release(true);
      }
    },
  },
];
