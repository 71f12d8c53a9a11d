import { createRateLimiter } from '@image-gateway/shared/limits';
import { createLogger } from '@image-gateway/shared/logging';
import { createRedis } from '@image-gateway/shared/queues';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../cli/support/run-command.js';
import type { TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOwner, type Owner, type Person, startWithPeople } from './support/people.js';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly account_id: string | null;
}
interface Part<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

let api: TestApi;
let owner: Owner;
let operator: Person;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople({ ALLOW_SIGNUP: 'true' }));
});
afterAll(() => api.stop());

const read = async <T>(path: string): Promise<Part<T>> => {
  const { status, data } = await operator.get(path);
  expect([path, status]).toEqual([path, 200]);
  return data as unknown as Part<T>;
};
const readAll = async <T>(path: string): Promise<T[]> => {
  const all: T[] = [];
  for (let part = await read<T>(path); ; part = await read<T>(`${path}&before=${part.next}`)) {
    all.push(...part.items);
    if (part.next === null) {
      return all;
    }
  }
};

describe('the audit log of operators while an owner is noisy', () => {
  beforeAll(async () => {
    await api.test.db.prisma.$executeRawUnsafe(
      `INSERT INTO audit_entries (id, action, subject, detail, created_at)
       SELECT 'aud_' || n, 'key.rotate', 'key_' || n, jsonb_build_object('actor', $1::text), now() - make_interval(secs => n % 7)
         FROM generate_series(1, 3000) n`,
      owner.email,
    );
    await api.test.db.prisma.$executeRawUnsafe('ANALYZE audit_entries');
    const { status } = await operator.post(`/operator/accounts/${owner.accountId}/credit`, {
      amount: '1.00',
      reason: 'x',
    });
    expect(status).toBe(200);
  });

  test('shows the acts of operators alone, without those of owners', async () => {
    const entries = await readAll<Entry>('/operator/audit?by=operators&per_page=10');
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['account.credit', 'operator.create', 'account.create']),
    );
    expect(entries.every(({ account_id }) => account_id === null)).toBe(true);
    expect(entries.some(({ actor }) => actor === owner.email)).toBe(false);
    const of = await readAll<Entry>(`/operator/audit?by=operators&subject=${owner.accountId}&per_page=1`);
    expect(of.map(({ action }) => action)).toEqual(['account.credit', 'account.create']);
  });

  test('shows every entry once, part by part, also those of one moment', async () => {
    const entries = await readAll<Entry>('/operator/audit?per_page=100');
    expect(entries.length).toBeGreaterThan(3_000);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    const own = entries.filter(({ actor }) => actor === owner.email);
    // Besides the log-in.
    expect(own).toHaveLength(3_001);
    expect(new Set(own.map(({ account_id }) => account_id))).toEqual(new Set([owner.accountId]));
  });

  test('reads no more entries than it shows', async () => {
    for (const where of ['account_id IS NULL', 'true', `subject = 'key_5'`]) {
      const plan = await api.test.db.prisma.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
        `EXPLAIN SELECT id FROM audit_entries WHERE ${where} AND (created_at, id) < (now() - interval '1 hour', 'x') ORDER BY created_at DESC, id DESC LIMIT 51`,
      );
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/Index (Only )?Scan/);
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toMatch(/Sort|Seq Scan/);
    }
  });

  test('counts a sign-up as the change of the new account', async () => {
    const email = 'signed-up@example.com';
    await openBrowser(api).post('/sign-up', { email, password: 'long enough 7' });
    const [entry] = (await read<Entry>('/operator/audit?per_page=1')).items;
    expect(entry).toMatchObject({
      action: 'account.create',
      actor: 'sign-up',
      account_id: expect.stringMatching(/^acc_/),
    });
  });

  test.each(['before=x', 'before=2026-01-01', 'by=owners', 'per_page=0'])('%s is a 400', async (query) => {
    expect((await operator.get(`/operator/audit?${query}`)).status).toBe(400);
  });
});

describe('the lists of accounts', () => {
  beforeAll(async () => {
    await api.test.db.prisma.$executeRawUnsafe(
      `INSERT INTO accounts (id, email, webhook_secret, created_at)
       SELECT 'acc_' || lpad(n::text, 22, '0'), 'many-' || n || '@noise.example', 'whsec_x', now() - make_interval(secs => n % 5)
         FROM generate_series(1, 1200) n`,
    );
  });

  test('shows every account once, part by part', async () => {
    const accounts = await readAll<{ id: string }>('/operator/accounts?q=noise.example&per_page=100');
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1_200);
    expect((await readAll('/operator/accounts?per_page=100')).length).toBeGreaterThan(1_201);
    const [one] = (await read<{ id: string }>(`/operator/accounts?q=${owner.accountId}`)).items;
    expect(one?.id).toBe(owner.accountId);
  });

  test('account list shows all, or some of them after an earlier list', async () => {
    const list = async (...args: string[]) =>
      (await runCommand<{ id: string; email: string }[]>({ db: api.test.db }, 'account', 'list', ...args))
        .value;
    const all = await list('--search', 'Noise.example');
    expect(all).toHaveLength(1_200);
    const first = await list('--search', 'noise.example', '--limit', '3');
    expect(first).toEqual(all.slice(0, 3));
    const after = await list('--search', 'noise.example', '--limit', '1100', '--after', first[2]?.id ?? '');
    expect(after).toEqual(all.slice(3, 1_103));
    expect((await list()).length).toBeGreaterThan(1_201);
    expect(await list('--search', '%')).toEqual([]);
    for (const args of [
      ['--limit', '0'],
      ['--limit', 'x'],
      ['--after', 'acc_none'],
    ]) {
      expect((await runCommand({ db: api.test.db }, 'account', 'list', ...args)).code).toBe(1);
    }
  });
});

test('an owner makes at most 300 changes a day to keys, at once if need be; another account goes on', async () => {
  const [noisy, other] = await Promise.all([newOwner(api), newOwner(api)]);
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
  const { id } = (await noisy.post('/keys', { name: 'x' })).data;
  // All but one of the changes that are left, without their work.
  const logger = createLogger({ service: 'test', level: 'error' });
  const redis = createRedis({ url: api.workerEnv.REDIS_URL, mode: 'fail-fast', name: 'test', logger });
  await eventually(() => redis.ping());
  const rate = { limit: 300, windowSeconds: 86_400 };
  const limiter = createRateLimiter({ redis });
  for (let n = 0; n < 298; n++) {
    await limiter.consume([{ policy: 'changes-access', key: noisy.accountId, ...rate }]);
  }
  redis.disconnect();
  const change = async (): Promise<number> =>
    (await noisy.post(`/keys/${String(id)}/limits`, { models: [] })).status;
  expect(await change()).toBe(200);
  const statuses = [await change(), await change(), await change(), await change(), await change()];
  expect(statuses).toContain(429);
  const refused = await noisy.post('/keys', { name: 'y' });
  expect([refused.status, refused.error?.message]).toEqual([
    429,
    expect.stringContaining('300 changes a day'),
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await noisy.get('/keys')).status).toBe(200);
  expect((await other.post('/keys', { name: 'x' })).status).toBe(200);
});

test.each(['1000000.000001', '999999999999.999999'])(
  '%s dollars are more than one booking may move',
  async (amount) => {
    const path = `/operator/accounts/${owner.accountId}`;
    for (const [door, body] of [
      ['credit', { amount, reason: 'x' }],
      ['adjust', { amount, reason: 'x' }],
      ['adjust', { amount: `-${amount}`, reason: 'x' }],
    ] as const) {
      const { status, error } = await operator.post(`${path}/${door}`, body);
      expect([status, error?.message]).toEqual([400, expect.stringContaining('at most $1,000,000')]);
    }
    const db = api.test.db;
    for (const args of [
      ['account', 'credit', owner.accountId, '--amount', amount],
      ['account', 'create', '--email', 'rich@example.com', '--balance', amount],
    ]) {
      expect((await runCommand({ db }, ...args)).value.error?.message).toContain('at most $1,000,000');
    }
  },
);

test('a million dollars may be booked at once', async () => {
  const booked = await operator.post(`/operator/accounts/${owner.accountId}/credit`, {
    amount: '1000000',
    reason: 'x',
  });
  expect(booked.status).toBe(200);
});
