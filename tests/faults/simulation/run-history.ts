import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createTestAccount, type TestDatabase } from '@image-gateway/testing';
import { createRandom } from '../random.js';
import { type ActorDeps, fails, sends, submits, sweeps, works } from './actors.js';
import { checkHistory } from './check-history.js';
import { createScheduler } from './create-scheduler.js';
import type { SimulatedClock } from './open-clock.js';
import { createWorld } from './world.js';

/** Where histories are played. */
export interface Stage {
  readonly database: TestDatabase;
  /** The product's way to the database, with the simulated clock. */
  readonly db: Database;
  readonly clock: SimulatedClock;
}

const LEASE_MS = 2_000;
const DEADLINE_MS = 30_000;
const MAX_TRIES = 3;
const ROUNDS = 70;
const MAX_ROUNDS = 4_000;

/**
 * Plays one history that a seed decides: clients, workers, sweeps, webhooks and an operator, with deaths between any two steps.
 * Gives what was wrong.
 */
export async function runHistory({ database, db, clock }: Stage, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const faults: string[] = [];
  const world = createWorld(random);
  const account = await createTestAccount(database, { balanceMicros: BigInt(random.int(2, 9) * 10_000) });
  const deps: ActorDeps = {
    world,
    random,
    newId,
    maxTries: MAX_TRIES,
    leaseMs: LEASE_MS,
    deadlineMs: DEADLINE_MS,
  };
  const dangers = { crash: random.pick([0, 0.03, 0.1]), together: random.pick([0, 0.2, 0.5]) };
  const scheduler = createScheduler(db, random, dangers, (actor, error) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    faults.push(`${actor}: ${String(cause)}`);
  });
  const keys = Array.from({ length: random.int(1, 4) }, (_, n) => `${seed}-${n}`);
  const wishes = keys.map(() => ({ outputs: random.pick([1, 1, 2, 4] as const), hook: random.chance(0.5) }));
  const submit = (n: number): void => {
    const { outputs = 1, hook = false } = wishes[n] ?? {};
    scheduler.start('client', submits(deps, account, keys[n] ?? '', outputs, hook));
  };
  const takeHint = (): void => {
    const hint = random.pick(world.hints);
    // A hint may come twice.
    if (random.chance(0.8)) {
      world.hints = world.hints.filter((one) => one !== hint);
    }
    scheduler.start('worker', works(deps, hint));
  };
  const operate = async (): Promise<void> => {
    const { rows } = await database.pool.query<{ id: string; attempt: number }>(
      "SELECT id, attempt FROM tasks WHERE account_id = $1 AND status = 'pending' ORDER BY id LIMIT 1",
      [account.id],
    );
    for (const { id, attempt } of rows) {
      scheduler.start('operator', fails(deps, id, attempt));
    }
  };
  for (const n of keys.keys()) {
    submit(n);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const drawn = random.next();
    if (drawn < 0.1) {
      await clock.advance(random.int(50, 2_500));
    } else if (drawn < 0.16) {
      submit(random.int(0, keys.length - 1));
    } else if (drawn < 0.32 && world.hints.length > 0) {
      takeHint();
    } else if (drawn < 0.38) {
      scheduler.start('worker', works(deps, null));
    } else if (drawn < 0.43) {
      scheduler.start('sweep', sweeps(deps));
    } else if (drawn < 0.5) {
      scheduler.start('webhooks', sends(deps));
    } else if (drawn < 0.505) {
      await operate();
    } else if (drawn < 0.52) {
      world.hints = [];
    } else {
      await scheduler.round();
    }
    if (random.chance(0.01)) {
      await live(database, faults);
    }
  }
  await drain();
  faults.push(...(await checkHistory(database, world, account.id)));
  await live(database, faults);
  return faults;

  /** Runs the surviving actors without further crashes until no task or webhook is pending. */
  async function drain(): Promise<void> {
    scheduler.calm();
    let rounds = 0;
    const runOut = async (): Promise<void> => {
      while ((await scheduler.round()) && rounds < MAX_ROUNDS) {
        rounds += 1;
      }
    };
    await runOut();
    for (let sweep = 0; sweep < 30; sweep += 1) {
      await clock.advance(LEASE_MS + 1_000);
      for (const act of [works(deps, null), sweeps(deps), sends(deps)]) {
        scheduler.start('rest', act);
      }
      await runOut();
      const { rows } = await database.pool.query(
        `SELECT 1 FROM tasks t LEFT JOIN webhook_deliveries w ON w.task_id = t.id
          WHERE t.account_id = $1 AND (t.status = 'pending' OR w.state IN ('pending', 'sending')) LIMIT 1`,
        [account.id],
      );
      if (rows.length === 0) {
        return;
      }
    }
    faults.push('does not come to rest');
  }
}

async function live(database: TestDatabase, faults: string[]): Promise<void> {
  try {
    await database.checkInvariants('live');
  } catch (error) {
    faults.push(String(error));
  }
}
