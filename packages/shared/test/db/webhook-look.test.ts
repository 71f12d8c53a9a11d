import {
  type Database,
  findDueByAccount,
  findDueByHost,
  findDueById,
  findDueByReceiver,
  findDueOldest,
} from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const MANY = 200_000;
const DUE = 300;
const BATCH = 2_000;
const PER_ACCOUNT = 240;
const HOSTS = 16;

let database: TestDatabase;
let account: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  other = await createTestAccount(database);
});
afterEach(async () => {
  await database.close();
});

/**
 * Adds webhooks of an account, each for a host of its own, or for some hosts in turn. They come some at a time, as from requests. A vacuum in the middle of one
 * large insert would learn a table of a few rows.
 */
async function addWebhooks(
  of: TestAccount,
  label: string,
  { count, dueInSeconds, hosts = count }: { count: number; dueInSeconds: number; hosts?: number },
) {
  for (let first = 1; first <= count; first += BATCH) {
    const last = Math.min(first + BATCH - 1, count);
    await database.pool.query(
      `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs,
         image_urls, webhook_url, status, phase, settled_attempt, deadline_at, unit_micros, hold_micros, error, started_at, completed_at)
       SELECT 'gen_' || $3 || i, $1, $2, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1, '{}', 'http://x/', 'failed',
         'done', 0, now(), 10000, 10000, 'x', now(), now() FROM generate_series($4::int, $5::int) i`,
      [of.id, of.apiKeyId, label, first, last],
    );
    await database.pool.query(
      `INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
       SELECT 'msg_' || $2 || i, 'gen_' || $2 || i, $1, 'http://x/', $2 || i % $6::int || '.example:80',
         jsonb_build_object('data', jsonb_build_object('id', 'gen_' || $2 || i, 'status', 'failed'))::text,
         now() + $5::float8 * interval '1 second' FROM generate_series($3::int, $4::int) i`,
      [of.id, label, first, last, dueInSeconds, hosts],
    );
  }
}

/** A database that notes how many pages each statement reads, from memory or not. */
function counting(): { readonly db: Pick<Database, 'run'>; readonly pages: number[] } {
  const pages: number[] = [];
  return {
    pages,
    db: {
      run: async (statement, values) => {
        // Twice: the first time PostgreSQL may tidy up behind the rows that were just inserted.
        for (let i = 0; i < 2; i++) {
          const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
            `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${statement.text}`,
            [...values],
          );
          const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
          if (i === 1) {
            pages.push((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
          }
        }
        return database.db.run(statement, values);
      },
    },
  };
}

/** Does each step of a look once and gives the pages that they read. */
async function look(): Promise<readonly number[]> {
  const { db, pages } = counting();
  expect(await findDueById(db, ['msg_due1', 'msg_due2'])).toHaveLength(2);
  expect(await findDueOldest(db, 250)).toHaveLength(250);
  const walk = { after: '', excluded: [], maxVisited: 1_000, maxOpen: 64, perAccount: 20 };
  expect((await findDueByAccount(db, walk)).due).toHaveLength(20);
  const hosts = { maxVisited: 200, perHost: 5 };
  const page = await findDueByHost(db, new Map([[account.id, 'due']]), hosts);
  expect([page.due.length, page.next.size]).toEqual([200, 1]);
  const receiver = { accountId: account.id, hostPort: 'due7.example:80' };
  expect(await findDueByReceiver(db, [receiver], 5)).toHaveLength(1);
  return pages;
}

test('a look for due webhooks reads as many pages with 200,000 receivers that something waits for as with ten', async () => {
  await addWebhooks(account, 'due', { count: DUE, dueInSeconds: -60 });
  await addWebhooks(account, 'later', { count: 5, dueInSeconds: 3_600 });
  await addWebhooks(other, 'later-too', { count: 5, dueInSeconds: 3_600 });
  const few = await look();
  await addWebhooks(account, 'many', { count: MANY / 2, dueInSeconds: 3_600 });
  await addWebhooks(other, 'more', { count: MANY / 2, dueInSeconds: 3_600 });
  const many = await look();
  // Each jump goes through one or two more levels of a larger index.
  for (const [step, pages] of many.entries()) {
    expect(pages).toBeLessThanOrEqual(3 * (few[step] ?? 0) + 10);
  }
  await database.pool.query('ANALYZE webhook_deliveries');
  const analyzed = await look();
  for (const [step, pages] of analyzed.entries()) {
    expect(pages).toBeLessThanOrEqual(3 * (few[step] ?? 0) + 10);
  }
}, 180_000);

test('a look reads a receiver of an account by its own index, also where everything waited at the last ANALYZE', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => createTestAccount(database)));
  for (const of of many) {
    await addWebhooks(of, `${of.id}-`, { count: PER_ACCOUNT, dueInSeconds: -60, hosts: HOSTS });
  }
  await database.pool.query('ANALYZE webhook_deliveries');
  const { db, pages } = counting();
  const after = new Map(many.map(({ id }) => [id, '']));
  const page = await findDueByHost(db, after, { maxVisited: HOSTS, perHost: 5 });
  expect(page.due).toHaveLength(many.length * HOSTS * 5);
  const walk = { after: '', excluded: [], maxVisited: 1_000, maxOpen: 64, perAccount: 20 };
  expect((await findDueByAccount(db, walk)).due).toHaveLength(many.length * 20);
  const [byHost = 0, byAccount = 0] = pages;
  // Per receiver or account: the pages of two or three jumps in the index, and those of the rows.
  expect(byHost).toBeLessThan(many.length * HOSTS * 15);
  expect(byAccount).toBeLessThan(many.length * 40);
});
