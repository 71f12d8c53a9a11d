import { creditAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { UNIT_MICROS } from '../judge/judge-money.js';
import type { Submission } from '../load/submission.js';
import type { Scenario } from './scenario.js';
import { readSums } from './support/read-sums.js';

const plain = () => ({ prompt: 'sandbox:fixed' });

/** Money, keys and tenants under pressure. */
export const moneyScenarios: readonly Scenario[] = [
  {
    name: 'funds-for-some',
    fault: 'a thousand submissions at once with funds for 123, while APIs are killed',
    outcome: 'exactly 123 accepted, 403 for all others, balance and hold end at zero',
    mayRefuse: [403],
    balanceMicros: BigInt(123 * UNIT_MICROS),
    run: async (scene) => {
      const load = scene.load({ count: 1_000, concurrency: 200, keyed: 1, wish: plain, hook: null });
      await scene.sleep(400);
      scene.lab.fleet.process('api-1').kill();
      scene.injected();
      const sent = await load.done;
      const accepted = sent.filter(({ outcome }) => outcome === 'accepted').length;
      const { tasks, images } = await readSums(scene);
      scene.must(accepted === 123 && tasks === 123, `${accepted} accepted, ${tasks} tasks`);
      scene.must(images === 123, `${images} images`);
    },
  },
  {
    name: 'one-key-for-all',
    fault: 'one idempotency key in 150 submissions at once, some with another body, while an API is killed',
    outcome: 'one task; the same answer for all; 400 for the other body',
    mayRefuse: [400],
    run: async (scene) => {
      const key = `storm-${scene.customer.id}`;
      const first = await scene.submitOne({ prompt: 'sandbox:fixed storm' }, { key });
      const known = new Set([first.taskId]);
      const storm = Array.from({ length: 150 }, (_, n) =>
        scene.submitOne({ prompt: `sandbox:fixed ${n % 10 === 9 ? 'another body' : 'storm'}` }, { key }),
      );
      scene.lab.fleet.process('api-2').kill();
      scene.injected();
      const answers = await Promise.all(storm);
      for (const { taskId, outcome } of answers) {
        if (outcome === 'accepted') {
          known.add(taskId);
        }
      }
      const refused = answers.filter(({ answer }) => answer === '400').length;
      scene.must(known.size === 1, `one key named ${known.size} tasks`);
      scene.must(refused === 15, `${refused} of 15 other bodies were refused`);
      for (let n = 0; n < 20; n += 1) {
        const fresh = { key: `fresh-${scene.customer.id}-${n}` };
        await Promise.all([0, 1, 2, 3].map(() => scene.submitOne({ prompt: 'sandbox:fixed' }, fresh)));
      }
      const { tasks } = await readSums(scene);
      scene.must(tasks === 21, `${tasks} tasks for 21 keys`);
    },
  },
  {
    name: 'one-top-up-often',
    fault: 'one top-up with the same reference fifty times at once, sessions ended meanwhile',
    outcome: 'credited once',
    run: async (scene) => {
      const { db, pool } = scene.lab.services.database;
      const input = { accountId: scene.customer.id, amountMicros: 5_000_000n, reference: scene.customer.id };
      const all = Promise.allSettled(Array.from({ length: 50 }, () => creditAccount({ db, newId }, input)));
      await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test' AND pid <> pg_backend_pid()",
      );
      scene.injected();
      await all;
      await creditAccount({ db, newId }, input);
      const { rows } = await pool.query<{ times: number }>(
        'SELECT count(*)::int AS times FROM ledger_transfers WHERE external_ref = $1',
        [scene.customer.id],
      );
      scene.must(rows[0]?.times === 1, `credited ${rows[0]?.times} times`);
      scene.credited(5_000_000n);
    },
  },
  {
    name: 'tenant-flood',
    tenants: { worstMs: 'slowest of the others ms', cost: ['slowest of the others before ms', 'told 429'] },
    fault: 'one tenant floods with 700 tasks at once, beyond its limit of open tasks',
    outcome: 'it is told 429; the others are answered and their work goes on',
    mayRefuse: [429],
    run: async (scene) => {
      const { pool } = scene.lab.services.database;
      await pool.query('UPDATE accounts SET max_open_tasks = 120 WHERE id = $1', [scene.customer.id]);
      const other = await scene.another();
      // Each is repeated until its answer is known: a machine that does much else may answer one of them late.
      const terms = { count: 40, perSecond: 8, concurrency: 8, keyed: 1, wish: plain };
      const findSlowest = (sent: readonly Submission[]): number =>
        Math.max(...sent.map(({ slowestMs }) => slowestMs));
      const before = findSlowest(await other.load(terms).done);
      const flood = scene.load({ count: 700, concurrency: 150, keyed: 0, wish: plain });
      scene.injected();
      const calm = other.load(terms);
      const [flooded, calmly] = await Promise.all([flood.done, calm.done]);
      const { tasks } = await readSums(scene, other.id);
      const slowest = findSlowest(calmly);
      const told = flooded.filter(({ answer }) => answer === '429').length;
      scene.figure('told 429', told);
      scene.figure('slowest of the others ms', slowest);
      scene.figure('slowest of the others before ms', before);
      scene.must(tasks === 80, `${tasks} of 80 tasks of the other tenant`);
      scene.must(slowest < Math.max(4_500, 4 * before), `the other tenant was answered after ${slowest} ms`);
      scene.must(told > 0, 'the flood was never told to wait');
    },
  },
  {
    name: 'suspended-meanwhile',
    fault: 'the account suspended and its key revoked while its tasks run',
    outcome: 'what was accepted goes on and settles; new submissions are refused within 5 s',
    mayRefuse: [401, 403],
    run: async (scene) => {
      const { pool } = scene.lab.services.database;
      await scene.load({ count: 60, wish: () => ({ prompt: 'sandbox:fixed sandbox:delay=700' }) }).done;
      await pool.query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [scene.customer.id]);
      scene.injected();
      const late = await scene.submitOne({ prompt: 'sandbox:fixed' });
      scene.must(late.answer === '403', `a suspended account was answered ${late.answer}`);
      const { images } = await readSums(scene);
      scene.must(images === 60, `${images} of 60 images`);
      await pool.query("UPDATE accounts SET status = 'active' WHERE id = $1", [scene.customer.id]);
    },
  },
];
