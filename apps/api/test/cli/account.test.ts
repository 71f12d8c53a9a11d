import { scryptSync } from 'node:crypto';
import type { Database } from '@image-gateway/shared/db';
import { createTestAccount, createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../src/account/create-account.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

const run = <T = Record<string, unknown>>(...args: string[]) => runCommand<T>({ db: database.db }, ...args);
const readAudit = async (subject: string): Promise<string[]> => {
  const { rows } = await database.pool.query(
    'SELECT action FROM audit_entries WHERE subject = $1 ORDER BY created_at, id',
    [subject],
  );
  return rows.map(({ action }) => action);
};

describe('accounts', () => {
  test('accounts are made with a log-in that better-auth accepts, and an opening balance in the books', async () => {
    const { value } = await run<{ id: string }>(
      'account',
      'create',
      '--email',
      ' Jo.Doe@Example.COM ',
      '--password',
      'pa\u017fsw\u00f6rd\u2126',
      '--balance',
      '2.5',
    );
    expect(value).toMatchObject({ email: 'jo.doe@example.com', balance: '$2.5000' });
    const { rows } = await database.pool.query(
      `SELECT u.email, u.role, a.provider_id, a.account_id = u.id AS own, a.password, l.external_ref, l.amount_micros
         FROM account_users m JOIN auth_users u ON u.id = m.user_id JOIN auth_accounts a ON a.user_id = u.id
         JOIN ledger_transfers l ON l.account_id = m.account_id WHERE m.account_id = $1`,
      [value.id],
    );
    expect(rows).toEqual([
      expect.objectContaining({
        email: 'jo.doe@example.com',
        role: 'owner',
        provider_id: 'credential',
        own: true,
        external_ref: `opening:${value.id}`,
        amount_micros: '2500000',
      }),
    ]);
    const [salt = '', hash] = rows[0].password.split(':');
    const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
    expect(scryptSync('pa\u017fsw\u00f6rd\u2126'.normalize('NFKC'), salt, 64, cost).toString('hex')).toBe(
      hash,
    );
  });

  test('take their password from standard input, as operators do', async () => {
    const over = { db: database.db, input: 'correct horse 9\n' };
    const email = () => ['--email', `stdin-${crypto.randomUUID()}@example.com`, '--password-stdin'];
    for (const noun of ['account', 'operator']) {
      expect((await runCommand(over, noun, 'create', ...email())).code).toBe(0);
      const both = await runCommand(over, noun, 'create', ...email(), '--password', 'correct horse 9');
      expect([both.code, both.value.error?.code]).toEqual([1, 'BAD_REQUEST']);
    }
    const { rows } = await database.pool.query(
      `SELECT a.password FROM auth_accounts a JOIN auth_users u ON u.id = a.user_id WHERE u.email LIKE 'stdin-%'`,
    );
    const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
    for (const { password } of rows) {
      const [salt = '', hash] = password.split(':');
      expect(scryptSync('correct horse 9', salt, 64, cost).toString('hex')).toBe(hash);
    }
    expect(rows).toHaveLength(2);
    const none = await run('operator', 'create', '--email', 'none@example.com');
    expect([none.code, none.value.error?.code]).toEqual([1, 'BAD_REQUEST']);
  });

  test('accounts cannot share an e-mail address, with each other or with an operator', async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => run('account', 'create', '--email', 'twice@example.com')),
    );
    expect(made.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
    await run('operator', 'create', '--email', 'ops@example.com', '--password', 'correct horse');
    const taken = await run('account', 'create', '--email', 'OPS@example.com', '--password', 'correct horse');
    expect([taken.code, taken.value.error?.message]).toEqual([
      1,
      'The e-mail address ops@example.com is already in use.',
    ]);
    const { rows } = await database.pool.query(
      `SELECT count(*)::int AS n FROM accounts WHERE email = 'ops@example.com'`,
    );
    expect(rows[0].n).toBe(0);
  });

  test('accounts are made without money by an opening balance of zero', async () => {
    for (const balance of ['0', '0.00']) {
      const email = `zero-${crypto.randomUUID()}@example.com`;
      const { code, value } = await run('account', 'create', '--email', email, '--balance', balance);
      expect([code, value.balance]).toEqual([0, '$0.00']);
    }
    const refused = await run('account', 'create', '--email', 'minus@example.com', '--balance', '-1');
    expect(refused.code).toBe(1);
  });

  test('accounts are not made at all when their opening balance cannot be booked', async () => {
    const { id } = await createTestAccount(database);
    const newAccount = { email: 'half@example.com', openingMicros: 1n, actor: 'test' };
    const failing: Pick<Database, 'run'> = {
      run: (statement, values) =>
        database.db.run(
          statement,
          values.map((value) => (typeof value === 'string' && value.startsWith('led_') ? null : value)),
        ),
    };
    await expect(createAccount({ db: failing }, newAccount)).rejects.toThrow();
    const { rows } = await database.pool.query(`SELECT 1 FROM accounts WHERE email = 'half@example.com'`);
    expect(rows).toEqual([]);
    expect(await readAudit(id)).toEqual([]);
  });

  test('accounts are suspended and resumed, and doing so twice is no error', async () => {
    const { id } = await createTestAccount(database);
    for (const [verb, status] of [
      ['suspend', 'suspended'],
      ['suspend', 'suspended'],
      ['resume', 'active'],
    ] as const) {
      expect((await run('account', verb, id)).value).toMatchObject({ id, status });
    }
    expect(await readAudit(id)).toEqual(['account.suspend', 'account.resume']);
    expect((await run('account', 'suspend', 'acc_none')).code).toBe(1);
  });

  test('accounts keep the secret before the last for 24 hours, and never more than one old one', async () => {
    const { id, webhookSecret: first } = await createTestAccount(database);
    const rotate = async () =>
      (await run<{ webhook_secret: string }>('account', 'rotate-webhook-secret', id)).value;
    const { webhook_secret: second } = await rotate();
    const shown = await run('account', 'show', id, '--secrets');
    expect(shown.value).toMatchObject({ webhook_secret: second, webhook_secret_previous: first });
    const until = Date.parse(String(shown.value.webhook_secret_previous_until)) - Date.now();
    expect(Math.abs(until - 24 * 3_600_000)).toBeLessThan(60_000);
    const { webhook_secret: third } = await rotate();
    expect((await run('account', 'show', id, '--secrets')).value).toMatchObject({
      webhook_secret: third,
      webhook_secret_previous: second,
    });
    expect(JSON.stringify((await run('account', 'show', id)).value)).not.toContain('whsec_');
  });
});

describe('keys', () => {
  test('keys are listed with their lives and never with themselves, and a revoked one keeps its time', async () => {
    const { id } = await createTestAccount(database);
    const { value: made } = await run<{ id: string; key: string }>(
      'key',
      'create',
      '--account',
      id,
      '--name',
      'mine',
      '--expires',
      '2099-01-01T00:00:00+02:00',
    );
    const revoked = await run('key', 'revoke', made.id);
    expect(await run('key', 'revoke', made.id)).toEqual(revoked);
    const list = (await run<Record<string, unknown>[]>('key', 'list', '--account', id)).value;
    expect(list.find((key) => key.id === made.id)).toMatchObject({
      name: 'mine',
      expires_at: '2098-12-31T22:00:00.000Z',
      revoked_at: revoked.value.revoked_at,
      last_used_at: null,
    });
    expect(JSON.stringify(list)).not.toContain(made.key);
    expect(await readAudit(made.id)).toEqual(['key.create', 'key.revoke']);
    expect((await run('key', 'create', '--account', 'acc_none')).value.error?.code).toBe('NOT_FOUND');
    expect((await run('key', 'list', '--account', 'acc_none')).code).toBe(1);
  });
});
