import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serveDataDir } from '@image-gateway/local-stack';
import { applyMigrations, createDatabase, setSessionDefaults } from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import {
  createTestAccount,
  createTestTask,
  freePort,
  repositoryRoot,
  type TestDatabase,
  testBucket,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { endTask } from '../../apps/api/test/support/end-task.js';
import { openPostgresFolder, type PostgresFolder } from '../faults/lab/failover/open-postgres-folder.js';

const IMAGES = 3;
const root = repositoryRoot();

interface Run<T> {
  readonly code: number;
  readonly value: T & { readonly error?: { readonly message: string } };
}
interface Check {
  readonly ok: boolean;
  readonly tasks: number;
  readonly images: number;
  readonly invariants: number;
  readonly looked_at: string;
  readonly objects: { readonly images: number; readonly missing: number };
  readonly faults: readonly string[];
}

/** Runs the compiled command line with nothing but these settings. */
function gateway<T = Check>(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Run<T>> {
  const main = path.join(root, 'apps/api/dist/cli/main.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args, '--json'],
      {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', DATA_DIR: '/nonexistent', ...env },
        timeout: 100_000,
      },
      (error, stdout) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, value: JSON.parse(stdout) as Run<T>['value'] });
      },
    );
  });
}

/** Fills an empty database and a bucket with an account, tasks and their images, and one task that is pending. */
async function fill(url: string, store: ObjectStore): Promise<string[]> {
  const quiet = (): void => undefined;
  await applyMigrations({ url, folder: path.join(root, 'prisma/migrations'), report: quiet, tell: quiet });
  await setSessionDefaults(url);
  const db: PrismaDatabase = withPrisma(createDatabase({ url, applicationName: 'test', onIdleError: quiet }));
  const pool = new pg.Pool({ connectionString: url });
  // The server may end before the last connection has closed.
  pool.on('error', quiet);
  const database = { db, pool } as TestDatabase;
  const account = await createTestAccount(database);
  const keys: string[] = [];
  for (let index = 0; index < IMAGES; index += 1) {
    const image = Buffer.from(`image ${index}`);
    const { id } = await createTestTask(db, account);
    await endTask({ test: database }, id, { images: [image] });
    const key = `images/${id}/0.png`;
    await store.put(key, image, { contentType: 'image/png' });
    keys.push(key);
  }
  await createTestTask(db, account);
  await Promise.all([db.close(), pool.end()]);
  return keys;
}

const listDatabases = async (url: string): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT datname AS name FROM pg_database ORDER BY 1');
  await client.end();
  return rows.map(({ name }) => name);
};

function openWherePossible(): PostgresFolder | null {
  try {
    return openPostgresFolder();
  } catch {
    return null;
  }
}

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'backups-'));
  fs.chmodSync(folder, 0o755);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const postgres = openWherePossible();
(postgres === null ? describe.skip : describe)('a backup by pg_dump', () => {
  const server = postgres as PostgresFolder;
  const bucket = testBucket();
  const store = createObjectStore(bucket);
  let url: string;
  let env: Record<string, string>;
  let keys: string[];
  let backup: string;
  let before: string[];

  beforeAll(async () => {
    const port = await freePort();
    await server.init('server');
    await server.start('server', port);
    url = `postgresql://postgres@127.0.0.1:${port}/gateway`;
    await store.ensureBucket();
    keys = await fill(url, store);
    env = {
      DATABASE_URL: url,
      PG_DUMP: path.join(server.programs, 'pg_dump'),
      S3_ENDPOINT: bucket.endpoint,
      S3_BUCKET: bucket.bucket,
      S3_ACCESS_KEY: bucket.accessKey,
      S3_SECRET_KEY: bucket.secretKey,
      AUTH_SECRET: 'a-secret-that-stands-in-no-backup-at-all',
      GEMINI_API_KEY: 'a-key-that-stands-in-no-backup',
      PROVIDERS: 'gemini',
    };
    before = await listDatabases(url);
    backup = path.join(folder, 'dump');
    expect(await gateway(env, 'backup', backup)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    store.close();
    await server.stop();
  });

  test('a backup by pg_dump counts what it holds, and has no secret in it', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(backup, 'manifest.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      kind: 'dump',
      database: { counts: { tasks: IMAGES + 1, pending_tasks: 1 }, counts_are_exact: true },
      objects: { count: IMAGES, checksums: true },
      keep_elsewhere: expect.arrayContaining([
        'AUTH_SECRET',
        'ENCRYPTION_KEY',
        'GEMINI_API_KEY',
        'S3_SECRET_KEY',
      ]),
    });
    const written = fs.readdirSync(backup).map((name) => fs.readFileSync(path.join(backup, name), 'latin1'));
    for (const secret of [env.AUTH_SECRET, env.GEMINI_API_KEY, bucket.secretKey]) {
      expect(written.filter((text) => text.includes(secret ?? ''))).toEqual([]);
    }
  });

  test('a backup by pg_dump is restored into a scratch database, found whole, and the scratch database is gone', async () => {
    const { code, value } = await gateway(env, 'restore', backup, '--check', '--read');
    expect([value.faults, code]).toEqual([[], 0]);
    expect(value).toMatchObject({ ok: true, tasks: IMAGES + 1, images: IMAGES, objects: { missing: 0 } });
    expect(value.invariants).toBeGreaterThan(30);
    expect(await listDatabases(url)).toEqual(before);
  });

  test('a backup by pg_dump whose images are not all in the store is restored, and they are counted', async () => {
    const [lost = '', changed = ''] = keys;
    const [bytes, kept] = [await store.read(lost), await store.read(changed)];
    await store.remove([lost]);
    await store.replace(changed, Buffer.from('other'), { contentType: 'image/png' });
    const { code, value } = await gateway(env, 'restore', backup, '--check');
    await store.replace(lost, bytes ?? Buffer.alloc(0), { contentType: 'image/png' });
    await store.replace(changed, kept ?? Buffer.alloc(0), { contentType: 'image/png' });
    expect(code).toBe(1);
    expect(value.faults).toEqual([
      expect.stringMatching(/^1 of 3 images are not in the object store/),
      expect.stringMatching(/^1 of 3 images have another size/),
    ]);
    expect(value.faults.join()).toContain(lost);
  });

  test('a backup by pg_dump with a changed byte is named as damaged, and not restored', async () => {
    const damaged = path.join(folder, 'damaged');
    fs.cpSync(backup, damaged, { recursive: true });
    const file = path.join(damaged, 'database.dump');
    const bytes = fs.readFileSync(file);
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
    fs.writeFileSync(file, bytes);
    const { code, value } = await gateway(env, 'restore', damaged, '--check');
    expect([code, value.faults]).toEqual([1, ['1 of 3 files are missing or damaged: database.dump.']]);
  });

  test('a backup by pg_dump is restored into a new database only, which then passes the check of the books', async () => {
    const fresh = { ...env, DATABASE_URL: url.replace(/gateway$/, 'restored') };
    const restored = await gateway(fresh, 'restore', backup);
    expect(restored).toMatchObject({
      code: 0,
      value: { restored_to: expect.stringContaining('restored on') },
    });
    expect(await gateway(fresh, 'ledger', 'check')).toMatchObject({ code: 0 });
    const again = await gateway(fresh, 'restore', backup);
    expect([again.code, again.value.error?.message]).toEqual([1, expect.stringContaining('holds tables')]);
  });
});

describe('a backup of the folder of npm start', () => {
  let dataDir: string;
  let backup: string;

  beforeAll(async () => {
    dataDir = path.join(folder, 'data');
    backup = path.join(folder, 'copied');
    fs.mkdirSync(dataDir, { mode: 0o755 });
    const served = await serveDataDir(dataDir, {
      signal: new AbortController().signal,
      out: { write: () => undefined },
    });
    const { S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = served.env;
    const store = createObjectStore({
      endpoint: S3_ENDPOINT,
      bucket: S3_BUCKET,
      accessKey: S3_ACCESS_KEY,
      secretKey: S3_SECRET_KEY,
      region: 'us-east-1',
    });
    try {
      await fill(served.env.DATABASE_URL ?? '', store);
    } finally {
      store.close();
      await served.stop();
    }
    expect(await gateway({ DATA_DIR: dataDir }, 'backup', backup)).toMatchObject({
      code: 0,
      value: { kind: 'folder' },
    });
  });

  test('a backup of the folder of npm start is found whole through a copy on other ports, and stays as it was', async () => {
    const list = (): string[] => fs.readdirSync(backup, { recursive: true, encoding: 'utf8' }).sort();
    const files = list();
    const { code, value } = await gateway({ DATA_DIR: dataDir }, 'restore', backup, '--check');
    expect([value.faults, code]).toEqual([[], 0]);
    expect(value).toMatchObject({
      looked_at: 'a copy of the folder on other ports',
      tasks: IMAGES + 1,
      images: IMAGES,
    });
    expect(list()).toEqual(files);
    expect(fs.readdirSync(folder).filter((name) => name.includes('.check-'))).toEqual([]);
  });

  test('a backup of the folder of npm start is not taken while a gateway runs on it, and restored into a new folder only', async () => {
    const identity = path.join(root, 'scripts/process/process-identity.mjs');
    const { startedAt } = (await import(identity)) as { startedAt: (pid: number) => string };
    const lock = path.join(dataDir, 'start.lock');
    fs.writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: startedAt(process.pid) }));
    const refused = await gateway({ DATA_DIR: dataDir }, 'backup', path.join(folder, 'second'));
    fs.rmSync(lock);
    expect([refused.code, refused.value.error?.message]).toEqual([
      1,
      expect.stringContaining('already runs'),
    ]);
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('second'))).toEqual([]);

    const taken = await gateway({ DATA_DIR: dataDir }, 'restore', backup);
    expect([taken.code, taken.value.error?.message]).toEqual([1, expect.stringContaining('already')]);
    const fresh = path.join(folder, 'fresh');
    expect(await gateway({ DATA_DIR: fresh }, 'restore', backup)).toMatchObject({ code: 0 });
    const served = await serveDataDir(fresh, {
      signal: new AbortController().signal,
      out: { write: () => undefined },
    });
    try {
      const { DATABASE_URL = '' } = served.env;
      expect(await gateway({ DATABASE_URL }, 'ledger', 'check')).toMatchObject({ code: 0 });
    } finally {
      await served.stop();
    }
  });
});
