import { type AcceptDeps, acceptGeneration, settleTask } from '@image-gateway/shared/billing';
import { claimDeliveries, createDatabase, type Database, finishDelivery } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  type AcceptLimits,
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
/** Database of a second API process. */
let second: Database;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  second = createDatabase({ url: database.url, applicationName: 'second' });
});
beforeEach(async () => {
  account = await createTestAccount(database, { balanceMicros: 100_000_000n });
});
afterAll(async () => {
  await second.close();
  await database.close();
});

const submit = async (deps: AcceptDeps, host?: string) => {
  const accepted = await acceptGeneration(deps, {
    accountId: account.id,
    apiKeyId: account.apiKeyId,
    requestId: 'req',
    request: {
      model: 'nanobanana',
      prompt: 'x',
      aspect_ratio: '16:9',
      resolution: '1k',
      num_outputs: 1,
      ...(host !== undefined && { webhook_url: `http://${host}/` }),
    },
  });
  return accepted.task.id;
};
const deps = (limits: AcceptLimits, db: Database = database.db) => createAcceptDeps(db, limits);
const end = async (taskId: string): Promise<string> => {
  const settleDeps = { db: database.db, newId, fileUrl: 'http://localhost/files' };
  const settled = await settleTask(settleDeps, { taskId, attempt: 0, reason: 'x' });
  if (!settled.settled || settled.deliveryId === null) {
    throw new Error('no webhook');
  }
  return settled.deliveryId;
};
const deliver = async (id: string, state: 'delivered' | 'failed' = 'delivered'): Promise<void> => {
  const [claimed] = await claimDeliveries(database.db, [id], 20_000);
  const outcome = { id, attempt: claimed?.attempt ?? 0, end: { state }, status: 200, error: null };
  expect(await finishDelivery(database.db, outcome)).toBe(true);
};
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'RATE_LIMITED', publicMessage: expect.stringMatching(message) });

describe('MAX_PENDING_DELIVERIES', () => {
  test('MAX_PENDING_DELIVERIES is kept exactly by 60 submissions at once to two processes; those without a webhook are all accepted', async () => {
    const processes = [
      deps({ maxPendingDeliveries: 25 }),
      deps({ maxPendingDeliveries: 25 }, second),
    ] as const;
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        submit(processes[i % 2] as AcceptDeps, i % 3 === 2 ? undefined : 'hook.example'),
      ),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toEqual(
      Array(15).fill(refusal(/25 webhooks that are not delivered.*25 \(MAX_PENDING_DELIVERIES\)/)),
    );
  });

  test('MAX_PENDING_DELIVERIES counts a webhook from its submit until it is delivered or has failed', async () => {
    const limited = deps({ maxPendingDeliveries: 2 });
    const [one, two] = [await submit(limited, 'a.example'), await submit(limited, 'a.example')];
    await expect(submit(limited, 'a.example')).rejects.toEqual(refusal(/MAX_PENDING_DELIVERIES/));
    const delivery = await end(one);
    await expect(submit(limited, 'a.example')).rejects.toEqual(refusal(/MAX_PENDING_DELIVERIES/));
    await deliver(delivery);
    await submit(limited, 'a.example');
    await expect(submit(limited, 'a.example')).rejects.toEqual(refusal(/MAX_PENDING_DELIVERIES/));
    await deliver(await end(two), 'failed');
    await submit(limited, 'a.example');
  });

  test('MAX_PENDING_DELIVERIES lets a submit that waits for its account see which webhooks have ended meanwhile', async () => {
    const limited = deps({ maxPendingDeliveries: 2 }, second);
    const delivery = await end(await submit(deps({}), 'a.example'));
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [account.id]);
      const waiting = submit(limited, 'a.example');
      await eventually(async () => {
        const { rows } = await database.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      });
      // Another webhook is asked for, and one ends: never are there more than one.
      await deliver(delivery);
      await holder.query('UPDATE accounts SET webhook_count = webhook_count + 1 WHERE id = $1', [account.id]);
      await holder.query('COMMIT');
      await waiting;
    } finally {
      holder.release();
    }
    await database.pool.query('UPDATE accounts SET webhook_count = webhook_count - 1 WHERE id = $1', [
      account.id,
    ]);
  });

  test('MAX_PENDING_DELIVERIES is not exceeded while webhooks end and tasks are submitted at the same time', async () => {
    const limited = [deps({ maxPendingDeliveries: 5 }), deps({ maxPendingDeliveries: 5 }, second)] as const;
    let most = 0;
    const look = async (): Promise<void> => {
      const { rows } = await database.pool.query<{ n: number }>(
        `SELECT ((SELECT count(*) FROM tasks WHERE account_id = $1 AND status = 'pending') +
                 (SELECT count(*) FROM webhook_deliveries WHERE account_id = $1 AND state IN ('pending', 'sending')))::int AS n`,
        [account.id],
      );
      most = Math.max(most, rows[0]?.n ?? 0);
    };
    const customer = async (i: number): Promise<void> => {
      for (let round = 0; round < 12; round++) {
        const id = await submit(limited[i % 2] as AcceptDeps, `h${i}.example`).catch(() => null);
        await look();
        if (id !== null) {
          await deliver(await end(id));
        }
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, i) => customer(i)));
    expect(most).toBe(5);
  });
});

describe('MAX_PENDING_HOSTS', () => {
  test('MAX_PENDING_HOSTS refuses a new host and no known one, until nothing waits for one of them', async () => {
    const limited = deps({ maxPendingHosts: 2 });
    const a = await end(await submit(limited, 'a.example'));
    await end(await submit(limited, 'b.example'));
    await expect(submit(limited, 'c.example')).rejects.toEqual(
      refusal(/wait for 2 hosts.*2 \(MAX_PENDING_HOSTS\)/),
    );
    await expect(submit(limited, 'a.example:8080')).rejects.toEqual(refusal(/MAX_PENDING_HOSTS/));
    const known = await end(await submit(limited, 'B.example:80'));
    await submit(limited);
    await deliver(a);
    await deliver(known);
    await submit(limited, 'c.example');
  });

  test("MAX_PENDING_HOSTS of one account is no other account's", async () => {
    const limited = deps({ maxPendingHosts: 1, maxPendingDeliveries: 1 });
    await end(await submit(limited, 'a.example'));
    await expect(submit(limited, 'b.example')).rejects.toEqual(refusal(/MAX_PENDING/));
    account = await createTestAccount(database);
    await submit(limited, 'b.example');
  });
});
