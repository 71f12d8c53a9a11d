import {
  acceptGeneration,
  adjustAccount,
  creditAccount,
  refundTask,
  settleTask,
} from '@image-gateway/shared/billing';
import { addOutput, claimTask, findTask, releaseTask } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TRIES, type Model, type ModelTask, type Step, steps, UNIT } from './support/account-model.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  try {
    await promise;
    return true;
  } catch {
    return false;
  }
};

async function submit(account: TestAccount, model: Model, outputs: number): Promise<void> {
  const price = UNIT * BigInt(outputs);
  const covered = model.balance - model.held >= price;
  const accepted = acceptGeneration(
    createAcceptDeps(database.db, { maxOpenTasks: 1000, deadlineMs: 3_600_000 }),
    {
      accountId: account.id,
      apiKeyId: account.apiKeyId,
      requestId: 'r',
      request: {
        model: 'nanobanana',
        prompt: 'x',
        aspect_ratio: '16:9',
        num_outputs: outputs,
        resolution: '1k',
      },
    },
  );
  expect(await settled(accepted)).toBe(covered);
  if (!covered) {
    return;
  }
  const { task } = await accepted;
  model.held += price;
  model.tasks.push({
    id: task.id,
    asked: outputs,
    status: 'pending',
    phase: 'queued',
    leaseOver: false,
    attempt: 0,
    tries: 0,
    stored: 0,
    refunded: false,
  });
}

async function claim(task: ModelTask): Promise<void> {
  const takeover = task.phase === 'running' && task.leaseOver;
  const free = task.phase === 'queued' ? task.tries < MAX_TRIES : takeover && task.tries + 1 < MAX_TRIES;
  const claimed = await claimTask(
    database.db,
    { workerId: 'w', leaseMs: 60_000, maxTries: MAX_TRIES },
    task.id,
  );
  expect(claimed !== null).toBe(task.status === 'pending' && free);
  if (!claimed) {
    return;
  }
  task.attempt++;
  if (takeover) {
    task.tries++;
  }
  task.phase = 'running';
  task.leaseOver = false;
  expect(claimed).toMatchObject({ attempt: task.attempt, tries: task.tries });
}

async function store(task: ModelTask, attempt: number): Promise<void> {
  const index = task.stored;
  const key = `images/${task.id}/${index}.png`;
  const output = {
    index,
    slot: index,
    key,
    contentType: 'image/png',
    bytes: 1,
    width: 1,
    height: 1,
    sha256: 'x',
  };
  const allowed = task.status === 'pending' && attempt === task.attempt && index < task.asked;
  expect(await addOutput(database.db, { taskId: task.id, attempt }, output)).toBe(allowed);
  if (allowed) {
    task.stored++;
  }
}

async function settle(model: Model, task: ModelTask, attempt: number, discardImages: boolean): Promise<void> {
  const allowed = task.status === 'pending' && attempt === task.attempt;
  const input = { taskId: task.id, attempt, reason: 'x', discardImages };
  const result = await settleTask({ db: database.db, newId, fileUrl: 'http://f' }, input);
  expect(result.settled).toBe(allowed);
  if (!allowed) {
    return;
  }
  task.status = task.stored > 0 && !discardImages ? 'completed' : 'failed';
  model.held -= UNIT * BigInt(task.asked);
  if (task.status === 'completed') {
    model.balance -= UNIT * BigInt(task.stored);
  }
}

async function moveMoney(account: TestAccount, model: Model, step: Step): Promise<void> {
  const by = { db: database.db, newId };
  const amount = BigInt(step.amount) * UNIT;
  if (step.what === 'credit') {
    await creditAccount(by, { accountId: account.id, amountMicros: amount });
    model.balance += amount;
    return;
  }
  const covered = model.balance - amount >= model.held;
  expect(await settled(adjustAccount(by, { accountId: account.id, deltaMicros: -amount, reason: 'x' }))).toBe(
    covered,
  );
  if (covered) {
    model.balance -= amount;
  }
}

async function apply(account: TestAccount, model: Model, step: Step): Promise<void> {
  if (step.what === 'submit') {
    return submit(account, model, step.amount);
  }
  if (step.what === 'credit' || step.what === 'adjust') {
    return moveMoney(account, model, step);
  }
  const task = model.tasks[step.task % Math.max(1, model.tasks.length)];
  if (!task) {
    return;
  }
  const attempt = Math.max(0, task.attempt - step.behind);
  switch (step.what) {
    case 'claim':
      return claim(task);
    case 'expire':
      await database.pool.query(
        `UPDATE tasks SET lease_until = now() - interval '1 second' WHERE id = $1 AND phase = 'running'`,
        [task.id],
      );
      task.leaseOver = true;
      return;
    case 'store':
      return task.phase === 'running' ? store(task, attempt) : undefined;
    case 'release': {
      const allowed = task.status === 'pending' && task.phase === 'running' && attempt === task.attempt;
      expect(await releaseTask(database.db, { taskId: task.id, attempt, delayMs: 0, usesTry: true })).toBe(
        allowed,
      );
      if (allowed) {
        Object.assign(task, { phase: 'queued', tries: task.tries + 1 });
      }
      return;
    }
    case 'refund': {
      const allowed = task.status === 'completed' && !task.refunded;
      expect(await settled(refundTask({ db: database.db, newId }, { taskId: task.id, reason: 'x' }))).toBe(
        allowed,
      );
      if (!allowed) {
        return;
      }
      task.refunded = true;
      model.balance += UNIT * BigInt(task.stored);
      return;
    }
    case 'settle':
    case 'fail':
      return settle(model, task, attempt, step.what === 'fail');
  }
}

test('whatever happens in whatever order, states and money are those of the model, and every invariant holds', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const account = await createTestAccount(database, { balanceMicros: 100_000n });
      const model: Model = { balance: 100_000n, held: 0n, tasks: [] };
      for (const step of history) {
        await apply(account, model, step);
        const row = await database.db.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
        expect(row).toMatchObject({ balanceMicros: model.balance, heldMicros: model.held });
      }
      for (const task of model.tasks) {
        const { status, attempt, tries, stored: storedCount } = task;
        expect(await findTask(database.db, task.id)).toMatchObject({ status, attempt, tries, storedCount });
      }
      await database.checkInvariants('live');
    }),
    { numRuns: 60 },
  );
});
