import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

/** No command line that is wrong may get as far as the database. */
const untouched = new Proxy({} as PrismaDatabase, {
  get: () => {
    throw new Error('the database was asked');
  },
});

describe('a command line that cannot be understood', () => {
  test.each([
    [['acount', 'create'], 'Did you mean "account create"?'],
    [['account', 'creat'], 'Did you mean "account create"?'],
    [['accounts', 'list'], 'Did you mean "account list"?'],
    [['docter'], 'Did you mean "doctor"?'],
    [['frobnicate'], 'Unknown command "frobnicate"'],
    [['account'], 'needs one more word: account create, account list'],
    [[], 'No command was given.'],
    [['account', 'create'], '--email E is missing'],
    [['account', 'create', '--email'], '--email needs a value'],
    [['account', 'create', '--email', '--balance', '1'], '--email needs a value'],
    [['account', 'create', '--emial', 'a@b.co'], 'Did you mean --email?'],
    [['account', 'create', '--email', 'a@b.co', '--email', 'b@b.co'], '--email is given twice'],
    [['account', 'show'], 'ID is missing'],
    [['account', 'show', 'a', 'b'], '"b" is one argument too many'],
    [['account', 'show', 'a', '--secrets=yes'], '--secrets takes no value'],
    [['account', 'show', 'a', '--constructor'], 'no option --constructor'],
    [['account', 'create', '--email', 'nobody'], 'not a valid e-mail address'],
    [['account', 'create', '--email', 'a@b.co', '--password', 'short'], '8 to 128 characters'],
    [['account', 'create', '--email', 'a@b.co', '--balance', '-1'], 'not a positive amount'],
    [['account', 'credit', 'acc_x', '--amount', '1.0000001'], 'not a positive amount'],
    [['account', 'credit', 'acc_x', '--amount', '0'], 'not a positive amount'],
    [['account', 'adjust', 'acc_x', '--amount', '+0', '--reason', 'r'], 'not a positive amount'],
    [['account', 'adjust', 'acc_x', '--amount', '1', '--reason', ' '], '--reason has 1 to 400 characters'],
    [['task', 'fail', 'gen_x', '--reason', 'x'.repeat(401)], '--reason has 1 to 400 characters'],
    [['key', 'create', '--account', 'acc_x', '--expires', 'tomorrow'], 'not a time in ISO 8601'],
    [['key', 'create', '--account', 'acc_x', '--expires', '2030-02-31T00:00:00'], 'not a time in ISO 8601'],
    [
      ['key', 'create', '--account', 'acc_x', '--expires', '2020-01-01T00:00:00Z'],
      'must expire in the future',
    ],
    [['key', 'create', '--account', 'acc_x', '--name', 'n'.repeat(101)], 'at most 100 characters'],
  ])('%j exits with 1 and says what is wrong', async (args, words) => {
    const { code, value } = await runCommand({ db: untouched }, ...args);
    expect([code, value]).toEqual([
      1,
      { error: { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringContaining(words) } },
    ]);
  });

  test('--help wins over what is missing', async () => {
    expect((await runCommand({ db: untouched }, 'account', 'create', '--help')).code).toBe(0);
  });
});
