import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let dataDir = '';

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'gateway-cli-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
  await database.close();
});

const nobody = 'postgresql://u:planted-password@127.0.0.1:1/x';

describe('where the command line finds the database', () => {
  test('where the command line finds the database in run.json when the environment does not name it, and the environment wins', async () => {
    await writeFile(path.join(dataDir, 'run.json'), JSON.stringify({ postgres: { url: database.url } }));
    expect(await runCommand({ env: { DATA_DIR: dataDir, DATABASE_URL: '' } }, 'account', 'list')).toEqual({
      code: 0,
      value: [],
    });
    expect(
      (await runCommand({ env: { DATA_DIR: dataDir, DATABASE_URL: nobody } }, 'account', 'list')).code,
    ).toBe(1);
  });

  test('a run.json that is half written or of another kind counts as none', async () => {
    for (const text of ['{"postgres":', '[]', 'null', '{"postgres":null}', '{"postgres":{"url":7}}']) {
      await writeFile(path.join(dataDir, 'run.json'), text);
      const { code, value } = await runCommand({ env: { DATA_DIR: dataDir } }, 'account', 'list');
      expect([code, value.error?.message]).toEqual([1, expect.stringContaining('DATABASE_URL is required')]);
    }
  });

  test.each([
    ['nobody says where it is', {}, 'DATABASE_URL is required'],
    ['nobody listens there', { DATABASE_URL: nobody }, 'cannot be reached'],
    ['its name is unknown', { DATABASE_URL: 'postgresql://no-such-host.invalid/x' }, 'cannot be reached'],
  ])('where the command line finds the database says what to do when %s', async (_, env, words) => {
    for (const args of [
      ['account', 'list'],
      ['account', 'suspend', 'acc_x'],
      ['ledger', 'check'],
    ]) {
      const { code, value } = await runCommand({ env }, ...args);
      expect([code, value.error?.message]).toEqual([1, expect.stringContaining(words)]);
      expect(JSON.stringify(value)).not.toContain('planted');
    }
  });

  test('where the command line finds the database says that the database or its tables are missing', async () => {
    const missing = new URL(database.url);
    missing.pathname = '/no_such_database';
    const bare = new URL(database.url);
    bare.pathname = '/template1';
    for (const [url, words] of [
      [missing.href, 'does not exist. Create it'],
      [bare.href, 'npm run gateway -- migrate'],
    ] as const) {
      for (const args of [
        ['account', 'list'],
        ['account', 'suspend', 'acc_x'],
      ]) {
        expect((await runCommand({ env: { DATABASE_URL: url } }, ...args)).value.error?.message).toContain(
          words,
        );
      }
    }
  });
});

describe('commands that read no model of Prisma', () => {
  test.each(['ledger check', 'providers', 'doctor'])(
    '%s runs without the client of Prisma',
    async (words) => {
      const run = await runCommand({ db: database.db, withoutPrisma: true }, ...words.split(' '));
      expect(JSON.stringify(run.value)).not.toContain('client of Prisma');
    },
  );
});

describe('help', () => {
  test('help is an overview of all commands, and for each its options and an example', async () => {
    const overview = await runCommand<{ help: string }>({ env: {} }, '--help');
    for (const name of [
      'account create',
      'key revoke',
      'task fail',
      'webhook resend',
      'ledger check',
      'doctor',
    ]) {
      expect(overview.value.help).toContain(name);
    }
    const { value } = await runCommand<{ help: string }>({ env: {} }, 'account', 'credit', '--help');
    expect(value.help).toMatch(/Usage: .*account credit <id> --amount <dollars> \[--reference <text>\]/);
    expect(value.help).toMatch(/Example: .*account credit acc_/);
  });
});
