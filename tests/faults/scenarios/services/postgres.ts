import type pg from 'pg';
import { LEASE_MS } from '../../lab/settings.js';
import { PROCESSES } from '../../lab/start-fleet.js';
import type { Scenario } from '../scenario.js';

/** Statements of the product after or before which a connection is cut, by their names in the protocol. */
const STATEMENTS = [
  'insert-tasks',
  'claim-task',
  'start-call',
  'add-output',
  'settle-task',
  'release-task',
  'finish-call',
  'claim-deliveries',
  'finish-delivery',
];

async function terminateSessions(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ended: number }>(
    `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND split_part(application_name, '/', 1) IN ('image-gateway-api', 'generation-worker', 'webhook-worker')`,
  );
  return rows[0]?.ended ?? 0;
}

/** PostgreSQL killed, restarted, cut, locked, silent, slow, full. */
export const postgresScenarios: readonly Scenario[] = [
  {
    name: 'postgres-killed',
    fault: 'kill -9 of PostgreSQL under load',
    outcome: 'answers are 202 or 5xx within 6 s, nothing acknowledged is lost, all goes on by itself',
    restWithinMs: 40_000,
    run: async (scene) => {
      const load = scene.load({ count: 260, perSecond: 50 });
      for (let n = 0; n < 2; n += 1) {
        await scene.sleep(1_500);
        scene.lab.services.signal('postgres', 'SIGKILL');
        scene.injected();
        await scene.sleep(2_500);
      }
      await load.done;
    },
  },
  {
    name: 'postgres-restarted',
    fault: 'PostgreSQL stopped in order and away for 5 s',
    outcome: 'the same',
    restWithinMs: 40_000,
    run: async (scene) => {
      const load = scene.load({ count: 240, perSecond: 40 });
      await scene.sleep(1_500);
      scene.lab.fleet.setWires('postgres', { kind: 'refuse' });
      scene.lab.services.signal('postgres', 'SIGINT');
      scene.injected();
      await scene.sleep(5_000);
      scene.lab.fleet.setWires('postgres', { kind: 'pass' });
      await load.done;
    },
  },
  {
    name: 'postgres-sessions-ended',
    fault: 'pg_terminate_backend on all sessions of the product, five times a second for 5 s',
    outcome: 'each step is repeated safely: charged once, one usage row, one webhook',
    run: async (scene) => {
      const load = scene.load({ count: 300, perSecond: 50 });
      let sessions = 0;
      for (let n = 0; n < 25; n += 1) {
        await scene.sleep(200);
        sessions += await terminateSessions(scene.lab.services.database.pool);
        scene.injected();
      }
      scene.figure('sessions ended', sessions);
      await load.done;
    },
  },
  ...(['after', 'before'] as const).map(
    (when): Scenario => ({
      name: `postgres-cut-${when}`,
      fault:
        when === 'after'
          ? 'connections cut after a commit, before its answer arrives, at each kind of statement'
          : 'connections cut in place of a statement, at each kind of statement',
      outcome: 'whoever asks again finds what happened: nothing twice, nothing missing',
      run: async (scene) => {
        const wires = PROCESSES.map((name) => scene.lab.fleet.wire(name, 'postgres'));
        const cutsSoFar = (): number => wires.reduce((sum, wire) => sum + wire.cuts(), 0);
        const before = cutsSoFar();
        const load = scene.load({ count: 380, perSecond: 50 });
        for (const statement of scene.random.shuffled(STATEMENTS)) {
          for (const wire of wires) {
            wire.cutOn(statement, when, 3);
          }
          await scene.sleep(650);
        }
        await load.done;
        scene.injected(cutsSoFar() - before);
        scene.must(cutsSoFar() - before >= 12, `only ${cutsSoFar() - before} connections were cut`);
      },
    }),
  ),
  {
    name: 'postgres-hot-row',
    tenants: { worstMs: 'slowest of others ms', cost: ['slowest of the locked account ms'] },
    fault: "the account's row locked by somebody else for 6 s",
    outcome: 'its submissions end in 503 within 3 s, those of others are as fast as ever',
    run: async (scene) => {
      const other = await scene.another();
      const holder = await scene.lab.services.database.pool.connect();
      holder.on('error', () => scene.must(false, 'the lock was lost'));
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [scene.customer.id]);
        scene.injected();
        const locked = scene.load({ count: 40, concurrency: 20, keyed: 0 });
        const free = other.load({ count: 120, perSecond: 40, keyed: 0, hook: () => 'ok' });
        await scene.sleep(6_000);
        await holder.query('ROLLBACK');
        const slowest = Math.max(...(await free.done).map(({ slowestMs }) => slowestMs));
        const refused = (await locked.done).filter(({ answer }) => answer !== '503' && answer !== '202');
        const longest = Math.max(...locked.submissions.map(({ slowestMs }) => slowestMs));
        scene.figure('slowest of others ms', slowest);
        scene.figure('slowest of the locked account ms', longest);
        scene.must(slowest < 2_500, `a submission of another account took ${slowest} ms`);
        scene.must(longest < 4_500, `a submission of the locked account took ${longest} ms`);
        scene.must(refused.length === 0, `the locked account got ${refused[0]?.answer}`);
      } finally {
        holder.release(true);
      }
    },
  },
  {
    name: 'postgres-silent',
    fault: 'PostgreSQL answers nobody for 5 s; its connections stay open',
    outcome: 'answers are 202 or 5xx within 6 s; all goes on by itself',
    restWithinMs: 40_000,
    run: async (scene) => {
      const load = scene.load({ count: 240, perSecond: 40 });
      await scene.sleep(1_500);
      scene.lab.fleet.setWires('postgres', { kind: 'black-hole' });
      scene.injected();
      await scene.sleep(5_000);
      scene.lab.fleet.setWires('postgres', { kind: 'pass' });
      await load.done;
    },
  },
  {
    name: 'worker-cut-off',
    fault: 'one generation worker cut off from PostgreSQL for longer than its leases',
    outcome: 'the other one goes on with its tasks; what it writes afterwards changes nothing',
    run: async (scene) => {
      const wish = () => ({ prompt: `sandbox:fixed sandbox:delay=${scene.random.int(100, 1_500)}` });
      const load = scene.load({ count: 160, concurrency: 30, wish });
      for (const kind of ['black-hole', 'refuse'] as const) {
        await scene.sleep(800);
        scene.lab.fleet.setWires('postgres', { kind }, ['worker-1']);
        scene.injected();
        await scene.sleep(2 * LEASE_MS);
        scene.lab.fleet.setWires('postgres', { kind: 'pass' }, ['worker-1']);
      }
      await load.done;
    },
  },
  {
    name: 'postgres-slow',
    fault: 'every answer of PostgreSQL 40 ms late',
    outcome: 'slower, and nothing else',
    restWithinMs: 30_000,
    run: async (scene) => {
      scene.lab.fleet.setWires('postgres', { kind: 'delay', ms: 40 });
      scene.injected();
      await scene.load({ count: 100, perSecond: 25 }).done;
    },
  },
  {
    name: 'postgres-disk-full',
    fault: "writes to tasks, images and webhooks end in PostgreSQL's disk_full, for 2 s each",
    outcome: 'nothing half done: what was refused left nothing, the rest goes on when there is room',
    run: async (scene) => {
      const { pool } = scene.lab.services.database;
      const load = scene.load({ count: 260, perSecond: 35 });
      await pool.query(`CREATE OR REPLACE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
      try {
        for (const table of ['task_outputs', 'tasks', 'webhook_deliveries', 'ledger_transfers']) {
          await pool.query(`CREATE TRIGGER full_disk AFTER INSERT ON ${table} EXECUTE FUNCTION disk_full()`);
          scene.injected();
          await scene.sleep(1_500);
          await pool.query(`DROP TRIGGER full_disk ON ${table}`);
        }
      } finally {
        await pool.query('DROP FUNCTION disk_full CASCADE');
      }
      await load.done;
    },
  },
];
