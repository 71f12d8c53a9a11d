import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gateway } from './support/gateway.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Names the packages on standard error whose modules a process loads. */
const NAME_PACKAGES = `--import=data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const seen = new Set();
registerHooks({
  load(url, context, next) {
    const [, file] = url.split(/.*\\/node_modules\\//);
    const name = file?.match(/^(@[^/]+\\/)?[^/]+/)[0];
    if (name && !seen.has(name)) {
      seen.add(name);
      process.stderr.write(name + ' ');
    }
    return next(url, context);
  },
});`)}`;

describe('the command line as a process', () => {
  /** Runs a command and lists the packages that it loads. */
  const listLoaded = async (words: string): Promise<string[]> => {
    const env = { DATABASE_URL: database.url, NODE_OPTIONS: NAME_PACKAGES };
    const { stderr, stdout } = await gateway(env, ...words.split(' '), '--json');
    expect(JSON.parse(stdout)).toBeDefined();
    return stderr.trim().split(' ');
  };

  test.each(['account list', 'account show acc_1', 'key create --account acc_1', 'migrate'])(
    '%s loads the libraries of the command line and of the database, and none else',
    async (words) => {
      const loaded = await listLoaded(words);
      expect(loaded).toContain('pg');
      expect(loaded.filter((name) => !/^(commander|pg|pg-.+|postgres-.+|xtend)$/.test(name))).toEqual([]);
    },
  );

  test.each(['--help', 'catalog show'])(
    '%s loads no library that reads documents, writes logs or calls providers',
    async (words) => {
      const loaded = await listLoaded(words);
      expect(loaded).toContain('joi');
      expect(loaded.filter((name) => ['yaml', 'jsonpath-rfc9535', 'winston'].includes(name))).toEqual([]);
    },
  );

  test('the command line as a process prints one JSON value with --json, words without, errors on standard error, and says all by its exit code', async () => {
    const env = { DATABASE_URL: database.url };
    const create = ['account', 'create', '--email', 'Jo@Example.com', '--balance', '10.00'];
    const created = await gateway(env, ...create, '--json');
    expect([created.code, created.stderr, created.stdout.trim().split('\n').length]).toEqual([0, '', 1]);
    expect(JSON.parse(created.stdout)).toEqual({
      id: expect.stringMatching(/^acc_[0-9A-Za-z]{22,}$/),
      email: 'jo@example.com',
      status: 'active',
      balance: '$10.0000',
      webhook_secret: expect.stringMatching(/^whsec_/),
    });

    const again = await gateway(env, ...create);
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The e-mail address jo@example.com is already in use.\n',
    });
    const list = await gateway(env, 'account', 'list');
    expect(list.stdout).toMatch(
      /^ID +EMAIL +STATUS +BALANCE.*\nacc_\w+ +jo@example\.com +active +\$10\.0000/,
    );
  });
});
