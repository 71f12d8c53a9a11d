import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyMigrations, nameSession } from '@image-gateway/shared/db';
import { eventually, repositoryRoot, testServices } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';

const PRODUCT = path.join(repositoryRoot(), 'prisma/migrations');
const STOP = '20261128064000_stop';
const BASELINE = '20261126120000_release_0_3_0';
const SILENCE_MS = 3_000;

let former: string;
let name: string;
let url: string;
let admin: pg.Client;
let told: string[];
let sessions: pg.Client[];

const toUrl = (database: string): string =>
  Object.assign(new URL(testServices().databaseUrl), { pathname: `/${database}` }).href;
const migrate = (folder = PRODUCT, silenceMs = SILENCE_MS, as = url) =>
  applyMigrations({
    url: as,
    folder,
    report: () => undefined,
    tell: (line) => told.push(line),
    silenceMs,
  });
const connect = async (application_name: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name });
  client.on('error', () => undefined);
  await client.connect();
  sessions.push(client);
  return client;
};
/** Opens a session that runs a statement again and again, until it is ended. */
const work = async (application_name: string): Promise<void> => {
  const client = await connect(application_name);
  const repeat = (): Promise<void> =>
    client.query('SELECT 1').then(
      () => void setTimeout(() => void repeat(), 20),
      () => undefined,
    );
  void repeat();
};
const query = async (text: string, values: unknown[] = []) =>
  (await (await connect('look')).query<Record<string, unknown>>(text, values)).rows;
const reportAgo = (id: string, version: string | null, ago: string) =>
  query(
    `INSERT INTO worker_reports (id, service, host, pid, seen_at, report) VALUES ($1, 'generation-worker', 'node-7', 42, now() - $3::interval, $2)
     ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at`,
    [id, JSON.stringify(version === null ? {} : { version }), ago],
  );
const isStopped = async () =>
  (await query('SELECT FROM _prisma_migrations WHERE migration_name = $1', [STOP])).length > 0;
const countMigrations = async () => (await query('SELECT FROM _prisma_migrations')).length;

const inFormer = async (text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: toUrl(former) });
  await client.connect();
  await client.query(text);
  await client.end();
};

beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'former-'));
  cpSync(path.join(PRODUCT, BASELINE), path.join(folder, BASELINE), { recursive: true });
  former = `former_${randomBytes(6).toString('hex')}`;
  await applyMigrations({
    url: toUrl(former),
    folder,
    report: () => undefined,
    tell: () => undefined,
  });
  rmSync(folder, { recursive: true });
  // A database of 0.3.0 does not know its name.
  await inFormer(`DELETE FROM _prisma_migrations WHERE migration_name = '${BASELINE}'`);
});
afterAll(async () => {
  const client = new pg.Client({ connectionString: testServices().databaseUrl });
  await client.connect();
  await client.query(`DROP DATABASE ${former} WITH (FORCE)`);
  await client.end();
});
beforeEach(async () => {
  told = [];
  sessions = [];
  name = `stop_${randomBytes(6).toString('hex')}`;
  url = toUrl(name);
  admin = new pg.Client({ connectionString: testServices().databaseUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${former}`);
});
afterEach(async () => {
  await Promise.all(sessions.map((client) => client.end()));
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
});

// @until 0.5.0
describe('the upgrade from 0.3.0', () => {
  test.each([
    'image-gateway-api/0.3.0',
    'image-gateway-api-reads',
    'image-gateway-books',
    'generation-worker',
    'webhook-worker',
    'image-gateway command line',
  ])(
    'is refused while %s runs statements; it is named with what ends it, and nothing is applied',
    async (of) => {
      const before = await countMigrations();
      await work(of);
      const refusal = migrate();
      await expect(refusal).rejects.toThrow(
        new RegExp(
          `^Release 0\\.3\\.0 still runs on this database: ${of.split('/')[0]} \\(.*, 1 connection\\)\\.`,
        ),
      );
      await expect(refusal).rejects.toThrow(
        /Nothing was applied[\s\S]*npm start +Ctrl-C\n.*docker compose stop api generation-worker webhook-worker\n.*kubectl .*paused.*kubectl scale deployment --replicas=0.*\n.*systemctl stop 'image-gateway-\*'\nUPGRADING\.md/,
      );
      expect(await countMigrations()).toBe(before);
    },
  );

  test('goes on by itself, with a line that says so, when a worker has not reported for long enough', async () => {
    await reportAgo('worker', '0.3.0', '0 seconds');
    expect(await migrate()).toContain(STOP);
    expect(told).toEqual([
      expect.stringMatching(
        /^Release 0\.3\.0 was here less than 3 s ago: generation-worker \(node-7, process 42\)\. If it has ended, this goes on by itself, in [123] s at the latest\.$/,
      ),
    ]);
  });

  test('is refused when a worker whose sessions nobody sees goes on to report', async () => {
    await reportAgo('worker', null, '1 second');
    const refusal = expect(migrate()).rejects.toThrow(
      /still runs on this database: generation-worker \(node-7, process 42\)\./,
    );
    await eventually(() => expect(told).toHaveLength(1));
    let isRefused = false;
    const report = async (): Promise<void> => {
      while (!isRefused) {
        await reportAgo('worker', null, '0 seconds');
        await sleep(100);
      }
    };
    const reports = report();
    try {
      await refusal;
    } finally {
      isRefused = true;
      await reports;
    }
    expect(await isStopped()).toBe(false);
  });

  test('waits for an API whose requests of the facade were kept until a moment ago', async () => {
    await query(
      `INSERT INTO facade_processes (id, renewed_at) VALUES ('one', now() - interval '2 seconds'), ('old', now() - interval '1 hour')`,
    );
    expect(await migrate()).toContain(STOP);
    expect(told).toEqual([expect.stringContaining('less than 3 s ago: image-gateway-api (one). ')]);
  });

  test('waits for no session that a pooler has kept since its client ended, and for no report of long ago', async () => {
    await (await connect('generation-worker')).query('SELECT 1');
    await reportAgo('worker', '0.3.0', '1 minute');
    expect(await eventually(() => migrate(PRODUCT, 1), { timeoutMs: 5_000 })).toContain(STOP);
    expect(told).toEqual([]);
  });

  test('is refused after the wait to a role that may not see whether a session is in use, with the reason', async () => {
    const role = `owner_${name}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    try {
      await query(
        `GRANT ALL ON SCHEMA public TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
      );
      await (await connect('webhook-worker')).query('SELECT 1');
      const owner = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
      await expect(migrate(PRODUCT, 500, owner)).rejects.toThrow(
        /webhook-worker \(.*\)\.[\s\S]* This role may not see whether these connections are in use: if .* pooler/,
      );
    } finally {
      await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('heeds no process of this release, none of another database, and no other program', async () => {
    await work(nameSession('generation-worker'));
    await work('psql');
    await reportAgo('new', nameSession('generation-worker').split('/')[1] ?? '', '0 seconds');
    expect(await migrate()).toContain(STOP);
    expect(told).toEqual([]);
  });

  test('is one: from then on migrations are applied beside whatever runs', async () => {
    await migrate();
    await work('image-gateway-api/0.3.0');
    expect(await migrate()).toEqual([]);
  });
});
