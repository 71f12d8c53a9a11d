import {
  acceptGeneration,
  adjustAccount,
  creditAccount,
  refundTask,
  settleTask,
} from '@image-gateway/shared/billing';
import { addOutput, claimTask } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';

const UNIT = 10_000n;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Expected state of the ledger, computed without it. */
interface Model {
  balance: bigint;
  /** Open tasks and what each holds. */
  readonly open: { id: string; outputs: number }[];
  /** Completed tasks that were not refunded, and what each cost. */
  readonly paid: { id: string; cost: bigint }[];
}

const action = fc.oneof(
  fc.record({ do: fc.constant('topup' as const), units: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ do: fc.constant('adjust' as const), units: fc.integer({ min: -30, max: 10 }) }),
  fc.record({ do: fc.constant('submit' as const), outputs: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    do: fc.constant('settle' as const),
    stored: fc.integer({ min: 0, max: 4 }),
    twice: fc.boolean(),
  }),
  fc.record({ do: fc.constant('refund' as const), twice: fc.boolean() }),
);

const held = ({ open }: Model): bigint => open.reduce((sum, { outputs }) => sum + UNIT * BigInt(outputs), 0n);
const getCode = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

async function settle(account: { id: string }, model: Model, stored: number, twice: boolean): Promise<void> {
  const { db } = database;
  const task = model.open.shift();
  if (task === undefined) {
    return;
  }
  const count = Math.min(stored, task.outputs);
  await claimTask(db, { workerId: account.id, leaseMs: 60_000, maxTries: 3 }, task.id);
  for (let index = 0; index < count; index += 1) {
    const image = { contentType: 'image/png', bytes: 1, width: 1, height: 1, sha256: 'x' };
    await addOutput(
      db,
      { taskId: task.id, attempt: 1 },
      { index, slot: index, key: `${task.id}/${index}`, ...image },
    );
  }
  const end = { taskId: task.id, attempt: 1, reason: 'nothing came' };
  const deps = { db, newId, fileUrl: 'http://files' };
  const ends = await Promise.all(Array.from({ length: twice ? 3 : 1 }, () => settleTask(deps, end)));
  expect(ends.filter(({ settled }) => settled)).toHaveLength(1);
  const cost = UNIT * BigInt(count);
  model.balance -= cost;
  if (count > 0) {
    model.paid.push({ id: task.id, cost });
  }
}

test('balance, holds and ledger are what a sum on paper says, after any sequence of money moves', async () => {
  const { db, pool } = database;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
      const account = await createTestAccount(database, { balanceMicros: 5n * UNIT });
      const model: Model = { balance: 5n * UNIT, open: [], paid: [] };
      for (const one of actions) {
        if (one.do === 'topup') {
          const amountMicros = UNIT * BigInt(one.units);
          await creditAccount({ db, newId }, { accountId: account.id, amountMicros });
          model.balance += amountMicros;
        } else if (one.do === 'adjust' && one.units !== 0) {
          const deltaMicros = UNIT * BigInt(one.units);
          const fits = model.balance + deltaMicros >= held(model);
          const code = await getCode(
            adjustAccount({ db, newId }, { accountId: account.id, deltaMicros, reason: 'x' }),
          );
          expect(code).toBe(fits ? 'ok' : 'INSUFFICIENT_BALANCE');
          if (fits) {
            model.balance += deltaMicros;
          }
        } else if (one.do === 'submit') {
          const fits = model.balance - held(model) >= UNIT * BigInt(one.outputs);
          const request = {
            model: 'nanobanana',
            prompt: 'a',
            aspect_ratio: '16:9' as const,
            resolution: '1k' as const,
            num_outputs: one.outputs,
          };
          const accepted = acceptGeneration(createAcceptDeps(db, { maxOpenTasks: 100 }), {
            accountId: account.id,
            apiKeyId: account.apiKeyId,
            requestId: 'r',
            request,
          }).then(({ task }) => model.open.push({ id: task.id, outputs: one.outputs }));
          expect(await getCode(accepted)).toBe(fits ? 'ok' : 'INSUFFICIENT_BALANCE');
        } else if (one.do === 'settle') {
          await settle(account, model, one.stored, one.twice);
        } else if (one.do === 'refund') {
          const paid = model.paid.shift();
          if (paid === undefined) {
            continue;
          }
          const input = { taskId: paid.id, reason: 'x' };
          const codes = await Promise.all(
            Array.from({ length: one.twice ? 2 : 1 }, () => getCode(refundTask({ db, newId }, input))),
          );
          expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
          model.balance += paid.cost;
        }
        const { rows } = await pool.query(
          'SELECT balance_micros AS b, held_micros AS h FROM accounts WHERE id = $1',
          [account.id],
        );
        expect(rows).toEqual([{ b: String(model.balance), h: String(held(model)) }]);
      }
    }),
    {
      numRuns: 40,
      ...(process.env.FAULTS_SEED && { seed: Number(process.env.FAULTS_SEED) }),
    },
  );
  await database.checkInvariants('live');
});
