import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  repositoryRoot,
  type TestDatabase,
  testBucket,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endTask } from '../support/end-task.js';
import { runCommand } from './support/run-command.js';

interface Check {
  readonly looked_at: string;
  readonly images: number;
  readonly faults: readonly string[];
}

const DUMP = 'PGDMP and so on';
const bucket = testBucket();
let database: TestDatabase;
let store: ObjectStore;
let folder: string;
let env: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  store = createObjectStore(bucket);
  await store.ensureBucket();
  const account = await createTestAccount(database);
  const image = Buffer.from('an image');
  const { id } = await createTestTask(database.db, account);
  await endTask({ test: database }, id, { images: [image] });
  await store.put(`images/${id}/0.png`, image, { contentType: 'image/png' });
  env = {
    DATABASE_URL: database.url,
    PATH: '/usr/bin:/bin',
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
  };
});
afterAll(async () => {
  store.close();
  await database.checkInvariants('rest');
  await database.close();
});
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'backup-'));
});
afterEach(() => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => path.join(folder, name);
const run = (settings: Record<string, string>, ...args: string[]) =>
  runCommand<Check>({ env: { ...env, ...settings } }, ...args);

/** Takes a backup with a dump that was made elsewhere. */
async function backUp(): Promise<string> {
  fs.writeFileSync(at('dump'), DUMP);
  expect(await run({}, 'backup', at('whole'), '--dump', at('dump'))).toMatchObject({ code: 0 });
  return at('whole');
}

/** Starts the compiled command line as a process. */
function start(settings: Record<string, string>, ...args: string[]): ChildProcess {
  const root = repositoryRoot();
  const child = spawn(process.execPath, [path.join(root, 'apps/api/dist/cli/main.js'), ...args], {
    cwd: root,
    env: { DATA_DIR: '/nonexistent', ...env, ...settings },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  running.push(child);
  return child;
}

/** Makes a pg_dump and a pg_restore that say they are of a version, and then run these lines. */
function makePrograms(version: string, lines: string): string {
  for (const name of ['pg_dump', 'pg_restore']) {
    const words = `[ "$1" = --version ] && { echo "${name} (PostgreSQL) ${version}"; exit; }`;
    fs.writeFileSync(at(name), `#!/bin/sh\n${words}\n${lines}\n`, { mode: 0o755 });
  }
  return at('pg_dump');
}

async function getServerVersion(): Promise<string> {
  const { rows } = await database.pool.query<{ server_version: string }>('SHOW server_version');
  return rows[0]?.server_version ?? '';
}

const listScratch = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname LIKE 'image\\_gateway\\_check\\_%'`,
  );
  return rows.map(({ name }) => name);
};

describe('gateway backup', () => {
  test('a backup takes a dump that was made elsewhere, and a restored database is compared with its listing and the store', async () => {
    const whole = await backUp();
    const check = () => run({}, 'restore', whole, '--check', '--database', database.url);
    const found = await check();
    expect([found.value.faults, found.code]).toEqual([[], 0]);
    expect(found.value).toMatchObject({ looked_at: 'the database given', images: 1 });
    // An image that is stored later is one that this backup would lose.
    const account = await createTestAccount(database);
    const { id } = await createTestTask(database.db, account);
    await endTask({ test: database }, id, { images: [Buffer.from('later')] });
    expect((await check()).value.faults).toEqual([
      expect.stringMatching(/^1 of 2 images are not in the object store: images\/gen_/),
      expect.stringMatching(/^1 of 2 images are not in the listing/),
    ]);
    await store.put(`images/${id}/0.png`, Buffer.from('later'), { contentType: 'image/png' });
  });

  test('a backup that is killed in the middle leaves nothing that looks like a whole one', async () => {
    const target = at('cut');
    const child = start({}, 'backup', target, '--dump', '-');
    child.stdin?.write(DUMP);
    await eventually(() => {
      expect(fs.statSync(path.join(`${target}.partial`, 'database.dump')).size).toBe(DUMP.length);
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(fs.readdirSync(folder)).toEqual(['cut.partial']);
    const { code, value } = await run({}, 'restore', `${target}.partial`, '--check');
    expect([code, value.error?.message]).toEqual([1, expect.stringContaining('is half a backup')]);
    const again = await run({}, 'backup', target);
    expect(again.value.error?.message).toContain(`rm -r ${target}.partial`);
  });

  test('a backup that fails or is stopped removes what it has written', async () => {
    fs.writeFileSync(at('text'), 'pg_dump: error: no such database');
    const wrong = await run({}, 'backup', at('wrong'), '--dump', at('text'));
    expect([wrong.code, wrong.value.error?.message]).toEqual([1, expect.stringContaining('That is no dump')]);
    const child = start({}, 'backup', at('stopped'), '--dump', '-');
    child.stdin?.write(DUMP);
    await eventually(() => {
      expect(fs.existsSync(at('stopped.partial/database.dump'))).toBe(true);
    });
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(fs.readdirSync(folder)).toEqual(['text']);
  });

  test('a backup without a pg_dump of the major version of the server says which it found, and the ways out', async () => {
    const PG_DUMP = makePrograms('9.6.24', 'exit 1');
    const { code, value } = await run({ PG_DUMP }, 'backup', at('new'));
    expect(code).toBe(1);
    expect(value.error?.message).toMatch(
      /pg_dump is of 9\.6\.24\)\. Install postgresql-client-\d+, or set PG_DUMP/,
    );
    expect(value.error?.message).toContain('--dump FILE');
  });

  test('a backup says that the disk is full, or that the role lacks a right', async () => {
    const version = await getServerVersion();
    const words = async (lines: string) => {
      const { value } = await run({ PG_DUMP: makePrograms(version, lines) }, 'backup', at('new'));
      return value.error?.message;
    };
    expect(await words('echo "could not write: No space left on device" >&2; exit 1')).toContain(
      'The disk is full',
    );
    expect(await words('echo "permission denied for table tasks" >&2; exit 1')).toContain('DIRECT_URL');
  });
});

describe('gateway restore --check', () => {
  test('a check that is stopped drops its scratch database', async () => {
    const whole = await backUp();
    const PG_DUMP = makePrograms(await getServerVersion(), `touch ${at('restoring')}; exec sleep 60`);
    const child = start({ PG_DUMP }, 'restore', whole, '--check');
    await eventually(() => {
      expect(fs.existsSync(at('restoring'))).toBe(true);
    });
    expect(await listScratch()).toHaveLength(1);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await listScratch()).toEqual([]);
  });

  test('a check whose role may not create a database names the right, and the way without it', async () => {
    const whole = await backUp();
    const role = `plain_${path.basename(folder).replace(/\W/g, '').toLowerCase()}`;
    await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'plain'`);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'plain'];
    const { code, value } = await run({ DATABASE_URL: url.href }, 'restore', whole, '--check');
    await database.pool.query(`DROP ROLE ${role}`);
    expect([code, value.error?.message]).toEqual([1, expect.stringContaining(`ALTER ROLE ${role} CREATEDB`)]);
    expect(value.error?.message).toContain('--database');
  });

  test('a check refuses what is no backup, and one of a newer release', async () => {
    const nothing = await run({}, 'restore', folder, '--check');
    expect(nothing.value.error?.message).toContain('is no backup');
    const whole = await backUp();
    const file = path.join(whole, 'manifest.json');
    const manifest = fs
      .readFileSync(file, 'utf8')
      .replace(/"last_migration": "\d+/, '"last_migration": "99991231000000');
    fs.writeFileSync(file, manifest);
    const newer = await run({}, 'restore', whole, '--check');
    expect(newer.value.error?.message).toContain('newer than this release');
    fs.writeFileSync(file, manifest.replace('"format": 1', '"format": 2'));
    const unknown = await run({}, 'restore', whole, '--check');
    expect(unknown.value.error?.message).toContain('cannot be read');
  });
});
