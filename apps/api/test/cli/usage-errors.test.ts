import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

/** Database that no wrong command line may reach. */
const untouched = new Proxy({} as PrismaDatabase, {
  get: (_, name) => {
    // A promise of the database looks for this property.
    if (name === 'then') {
      return undefined;
    }
    throw new Error('the database was used');
  },
});

describe('a wrong command line', () => {
  test.each([
    [['acount', 'create'], 'Did you mean account?'],
    [['account', 'creat'], 'Did you mean create?'],
    [['accounts', 'list'], 'Did you mean account?'],
    [['docter'], 'Did you mean doctor?'],
    [['frobnicate'], "Unknown command 'frobnicate'. --help lists the commands."],
    [['rotate-webhook-secret', 'acc_x'], 'There is: account rotate-webhook-secret. --help lists'],
    [['show'], 'There are: account show, task show, catalog show. --help lists'],
    [['keys', 'revoke', 'key_x'], 'There is: key revoke.'],
    [['account'], 'No command was given.'],
    [[], 'No command was given.'],
    [['account', 'create'], "'--email <address>' not specified"],
    [['account', 'create', '--email'], 'argument missing'],
    [['account', 'create', '--email', '--balance', '1'], '--email needs a value'],
    [['account', 'show', 'acc_x', '--secret'], 'Did you mean --secrets?'],
    [['account', 'create', '--email', 'a@b.co', '--email', 'b@b.co'], '--email is given twice'],
    [['account', 'create', '--email=a@b.co', '--email', 'a@b.co'], '--email is given twice'],
    [['account', 'show'], "Missing required argument 'id'"],
    [['account', 'show', 'a', 'b'], 'Too many arguments'],
    [['account', 'show', 'a', '--secrets=yes'], "Unknown option '--secrets=yes'"],
    [['account', 'show', 'a', '--constructor'], "Unknown option '--constructor'"],
    [['account', 'create', '--email', 'nobody'], 'not a valid e-mail address'],
    [['account', 'create', '--email', 'a@b.co', '--password', 'short'], '8 to 128 characters'],
    [['account', 'create', '--email', 'a@b.co', '--balance', '-1'], 'not a positive amount'],
    [['account', 'credit', 'acc_x', '--amount', '1.0000001'], 'not a positive amount'],
    [['account', 'credit', 'acc_x', '--amount', '0'], 'not a positive amount'],
    [['account', 'adjust', 'acc_x', '--amount', '+0', '--reason', 'r'], 'not a positive amount'],
    [['account', 'adjust', 'acc_x', '--amount', '1', '--reason', ' '], '--reason: 1 to 400 characters'],
    [['task', 'fail', 'gen_x', '--reason', 'x'.repeat(401)], '--reason: 1 to 400 characters'],
    [
      ['key', 'create', '--account', 'acc_x', '--expires', 'tomorrow'],
      'is not a date or time of the years 0001 to 9999',
    ],
    [
      ['key', 'create', '--account', 'acc_x', '--expires', '2030-02-31T00:00:00'],
      'is not a date or time of the years 0001 to 9999',
    ],
    [
      ['key', 'create', '--account', 'acc_x', '--expires', '2020-01-01T00:00:00Z'],
      'must expire in the future',
    ],
    [['key', 'create', '--account', 'acc_x', '--name', 'n'.repeat(101)], 'at most 100 characters'],
  ])('%j exits with 1 and names the error, without using the database', async (args, words) => {
    const { code, value } = await runCommand({ db: untouched }, ...args);
    expect([code, value]).toEqual([
      1,
      { error: { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringContaining(words) } },
    ]);
  });

  test.each([
    [['key', 'create', '--account', 'acc_x']],
    [['key', 'update', 'key_x']],
    [['account', 'create', '--email', 'a@b.co']],
    [['account', 'limits', 'acc_x']],
    [['account', 'credit', 'acc_x', '--amount', '1']],
    [['account', 'adjust', 'acc_x', '--amount', '1', '--reason', 'r']],
    [['catalog', 'set-price', 'nanobanana', '1k', '0.01']],
    [['provider', 'limit', 'fal']],
    [['provider', 'pause', 'fal']],
  ])('%j refuses a misspelt limit by its name, without using the database', async (args) => {
    const { code, value } = await runCommand({ db: untouched }, ...args, '--cap-dya', '0.10');
    expect([code, value]).toEqual([
      1,
      { error: { code: 'BAD_REQUEST', message: expect.stringContaining("Unknown option '--cap-dya'") } },
    ]);
  });

  test('--help prints the help of a command whose required options are missing', async () => {
    expect((await runCommand({ db: untouched }, 'account', 'create', '--help')).code).toBe(0);
  });
});
