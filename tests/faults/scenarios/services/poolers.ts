import type { Scenario } from '../scenario.js';

const SECONDS = 60;
const PER_SECOND = 30;

const pooler = (mode: 'session' | 'transaction'): Scenario => ({
  name: `pgbouncer-${mode}`,
  lab: mode,
  fault: `PgBouncer in ${mode} mode, with its default settings, stands between the product and PostgreSQL for a minute of load`,
  outcome: 'every submit is accepted, no try is burnt and each task is bought once',
  run: async (scene) => {
    scene.injected();
    const load = scene.load({
      count: SECONDS * PER_SECOND,
      perSecond: PER_SECOND,
      wish: () => ({ prompt: 'sandbox:fixed' }),
    });
    const submissions = await load.done;
    const accepted = submissions.filter(({ outcome }) => outcome === 'accepted').length;
    scene.figure('submits', submissions.length);
    scene.must(accepted === submissions.length, `${submissions.length - accepted} submits were not accepted`);
    const { rows } = await scene.lab.services.database.pool.query<{
      tries: number;
      calls: number;
      tasks: number;
    }>(
      `SELECT sum(tries)::int AS tries, sum(call_count)::int AS calls, count(*)::int AS tasks
       FROM tasks WHERE account_id = $1`,
      [scene.customer.id],
    );
    const [sums] = rows;
    scene.must(sums?.tries === 0, `${sums?.tries} tries were burnt`);
  },
});

/** Poolers that people have in front of PostgreSQL. */
export const poolerScenarios: readonly Scenario[] = [pooler('session'), pooler('transaction')];
