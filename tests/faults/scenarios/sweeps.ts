import { isDeepStrictEqual } from 'node:util';
import { eventually } from '@image-gateway/testing';
import type { Scenario, Scene } from './scenario.js';
import { deadlineIn } from './support/deadline-in.js';
import { numbered } from './support/numbered.js';
import { readSums, type Sums } from './support/read-sums.js';

const WORKERS = ['worker-1', 'worker-2'] as const;
const JOBS = 40;
const CANCEL_MS = 4_000;
const ACCOUNTS_WAITING = 40;
const DUE_WITHIN_MS = 10_000;
const CLAIMED_WITHIN_MS = 2_000;
const OVERDUE = 10_000;
const OVERDUE_WITHIN_MS = 60_000;

const countDeaths = ({ lab }: Scene): number =>
  WORKERS.reduce((sum, name) => sum + lab.fleet.process(name).deaths(), 0);

/** Waits until the calls for endless jobs stand like this. */
const untilStates = (scene: Scene, wanted: Readonly<Record<string, number>>): Promise<void> =>
  eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query<{ state: string; calls: number }>(
        `SELECT c.state, count(*)::int AS calls FROM provider_calls c JOIN tasks t ON t.id = c.task_id
          WHERE t.account_id = $1 AND starts_with(t.prompt, 'endless') GROUP BY 1`,
        [scene.customer.id],
      );
      const states = Object.fromEntries(rows.map(({ state, calls }) => [state, calls]));
      if (!isDeepStrictEqual(states, wanted)) {
        throw new Error(`the calls are ${JSON.stringify(states)}`);
      }
    },
    { timeoutMs: 60_000 },
  );

/** Work that workers do beside their tasks: it must not stop them, nor must what waits for later. */
export const sweepScenarios: readonly Scenario[] = [
  {
    name: 'cancel-slow',
    tenants: { worstMs: 'slowest submit of the other ms', cost: ['cancelled after ms'] },
    fault: `an upstream that takes ${CANCEL_MS / 1_000} s to cancel each of ${JOBS} jobs, whose deadline passes at once`,
    outcome: 'each is cancelled once, many at a time; no worker ends; other tasks go on meanwhile',
    providers: 'fal,gemini',
    restWithinMs: 60_000,
    run: async (scene) => {
      const deaths = countDeaths(scene);
      scene.lab.upstreams.behave('fal', { mode: 'endless-job' });
      const start = `endless ${scene.customer.id}`;
      await scene.load({ count: JOBS, concurrency: JOBS, keyed: 1, wish: numbered(start) }).done;
      await untilStates(scene, { submitted: JOBS });
      const cancels = () => scene.lab.upstreams.calls({ provider: 'fal', kind: 'cancel' });
      const before = cancels().length;
      scene.lab.upstreams.behave('fal', { mode: 'ok', on: ['cancel'], latencyMs: CANCEL_MS });
      const from = performance.now();
      await deadlineIn(scene, 0);
      scene.injected(JOBS);
      const other = await scene.another();
      const next = await other.load({ count: 10, perSecond: 5, wish: numbered(`after ${start}`) }).done;
      scene.must(
        next.every(({ answer }) => answer === '202'),
        'a submission was refused while jobs were cancelled',
      );
      scene.figure('slowest submit of the other ms', Math.max(...next.map(({ slowestMs }) => slowestMs)));
      await untilStates(scene, { cut: JOBS });
      scene.figure('cancelled after ms', Math.round(performance.now() - from));
      const jobs = cancels()
        .slice(before)
        .map(({ path }) => path);
      scene.must(
        new Set(jobs).size === jobs.length,
        `${jobs.length} cancellations of ${new Set(jobs).size} jobs`,
      );
      scene.must(countDeaths(scene) === deaths, 'a worker ended');
    },
  },
  {
    name: 'redis-away-many-waiting',
    tenants: { worstMs: 'slowest claim ms', cost: ['accounts waiting', 'slowest due task ms'] },
    fault: `Redis away, and ${ACCOUNTS_WAITING} accounts with a task due in an hour`,
    outcome: 'tasks that are due are taken from the database, whatever account they belong to',
    run: async (scene) => {
      const { fleet, services } = scene.lab;
      await Promise.all(WORKERS.map((name) => fleet.process(name).down()));
      const waiting: string[] = [];
      for (let n = 0; n < ACCOUNTS_WAITING; n += 1) {
        const other = await scene.another();
        await other.submitOne({ prompt: 'sandbox:fixed' });
        waiting.push(other.id);
      }
      const setDue = (due: string) =>
        services.database.pool.query(
          `UPDATE tasks SET due_at = ${due} WHERE account_id = ANY ($1) AND status = 'pending'`,
          [waiting],
        );
      await setDue("now() + interval '1 hour'");
      fleet.setWires('redis', { kind: 'refuse' });
      scene.injected();
      for (const name of WORKERS) {
        fleet.process(name).up();
      }
      const wish = () => ({ prompt: 'sandbox:fixed' });
      // The start of the workers is not measured.
      const first = await scene.another();
      await first.load({ count: 8, keyed: 0, wish }).done;
      await readSums(scene, first.id);
      const due = [scene, await scene.another(), await scene.another()];
      await Promise.all(due.map(({ load }) => load({ count: 10, perSecond: 5, wish }).done));
      const all: Sums[] = [];
      for (const one of due) {
        const id = 'customer' in one ? one.customer.id : one.id;
        // Throws when due tasks still wait: the workers are idle.
        all.push(await readSums(scene, id, DUE_WITHIN_MS));
      }
      const slowestClaim = Math.max(...all.map(({ slowestStartMs }) => slowestStartMs));
      scene.figure('accounts waiting', waiting.length);
      scene.figure('slowest claim ms', slowestClaim);
      scene.figure('slowest due task ms', Math.max(...all.map(({ slowestMs }) => slowestMs)));
      scene.must(slowestClaim <= CLAIMED_WITHIN_MS, `a due task was claimed after ${slowestClaim} ms`);
      await setDue('now()');
      fleet.setWires('redis', { kind: 'pass' });
    },
  },
  {
    name: 'many-overdue',
    tenants: { worstMs: 'slowest task of the other ms', cost: ['overdue tasks', 'ended after ms'] },
    fault: `${OVERDUE} tasks of one account whose deadline passes at one moment, and one worker`,
    outcome: `all are ended and released within ${OVERDUE_WITHIN_MS / 1_000} s; another account's tasks go on meanwhile`,
    balanceMicros: 10_000n * BigInt(OVERDUE),
    run: async (scene) => {
      const { fleet, services } = scene.lab;
      await Promise.all(WORKERS.map((name) => fleet.process(name).down()));
      const wish = () => ({ prompt: 'sandbox:fixed' });
      const late = await scene.load({ count: OVERDUE, concurrency: 64, keyed: 0, hook: null, wish }).done;
      scene.must(
        late.every(({ answer }) => answer === '202'),
        'a submission was refused',
      );
      await services.database.pool.query(
        "UPDATE tasks SET deadline_at = now() WHERE account_id = $1 AND status = 'pending'",
        [scene.customer.id],
      );
      const other = await scene.another();
      scene.injected(OVERDUE);
      const from = performance.now();
      fleet.process('worker-1').up();
      const load = other.load({ count: 20, perSecond: 4, keyed: 0, hook: null, wish });
      await eventually(
        async () => {
          const { rows } = await services.database.pool.query<{ open: number }>(
            'SELECT open_count AS open FROM accounts WHERE id = $1',
            [scene.customer.id],
          );
          if (rows[0]?.open !== 0) {
            throw new Error(`${rows[0]?.open} tasks are still pending`);
          }
        },
        { timeoutMs: 2 * OVERDUE_WITHIN_MS },
      );
      const ended = Math.round(performance.now() - from);
      await load.done;
      scene.figure('overdue tasks', OVERDUE);
      scene.figure('ended after ms', ended);
      scene.figure(
        'slowest task of the other ms',
        (await readSums(scene, other.id, OVERDUE_WITHIN_MS)).slowestMs,
      );
      scene.must(ended <= OVERDUE_WITHIN_MS, `the last task ended after ${ended} ms`);
      fleet.process('worker-2').up();
    },
  },
];
