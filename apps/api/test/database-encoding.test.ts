import path from 'node:path';
import { applyMigrations, refuseUnusableDatabase } from '@image-gateway/shared/db';
import { UnusableServiceError } from '@image-gateway/shared/errors';
import {
  createTestDatabase,
  killPrograms,
  repositoryRoot,
  startProgram,
  testServices,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { DoctorCheck } from './cli/support/doctor-check.js';
import { runCommand } from './cli/support/run-command.js';
import { startApi, type TestApi } from './support/start-api.js';

const WAY = /encoding LATIN1, .*pg_dump .*createdb -E UTF8 -T template0 .*pg_restore/;
const NAMES = { latin: `latin_${process.pid}`, ascii: `ascii_${process.pid}` };
let admin: pg.Client;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: testServices().databaseUrl });
  await admin.connect();
  const how = "TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING";
  await admin.query(`CREATE DATABASE ${NAMES.latin} ${how} 'LATIN1'`);
  await admin.query(`CREATE DATABASE ${NAMES.ascii} ${how} 'SQL_ASCII'`);
});
afterAll(async () => {
  killPrograms();
  for (const name of Object.values(NAMES)) {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
  await admin.end();
});

function getUrl(name: string): string {
  const url = new URL(testServices().databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
const migrate = (name: string) =>
  runCommand<{ error?: { message: string } }>({ env: { DATABASE_URL: getUrl(name) } }, 'migrate');
const examine = async (name: string): Promise<readonly DoctorCheck[]> => {
  const { value } = await runCommand<{ checks: DoctorCheck[] }>(
    { env: { ...api.workerEnv, DATABASE_URL: getUrl(name) } },
    'doctor',
  );
  return value.checks.filter(({ part, level }) => part === 'PostgreSQL' && level !== 'ok');
};
let api: TestApi;

describe('a database that is not UTF8', () => {
  beforeAll(async () => {
    api = await startApi({ DATABASE_URL: getUrl(NAMES.latin) });
  });
  afterAll(() => api.stop());

  test('migrate refuses it by name with the way to another, before anything is made', async () => {
    const { code, value } = await migrate(NAMES.latin);
    expect([code, value.error?.message]).toEqual([1, expect.stringMatching(WAY)]);
    const client = new pg.Client({ connectionString: getUrl(NAMES.latin) });
    await client.connect();
    const { rows } = await client.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    );
    await client.end();
    expect(rows).toEqual([]);
  });

  test('the doctor and /readyz name it with the way to another', async () => {
    expect(await examine(NAMES.latin)).toEqual([
      expect.objectContaining({ level: 'fault', mend: expect.stringMatching(WAY) }),
    ]);
    const { status, json } = await api.call('/readyz');
    expect([status, json.error.message]).toEqual([503, expect.stringMatching(WAY)]);
  });

  test.each([
    ['apps/api', {}],
    ['apps/generation-worker', { PROVIDERS: 'sandbox' }],
    ['apps/webhook-worker', {}],
  ])('%s refuses it at the start', async (folder, env) => {
    const settings = {
      ...api.workerEnv,
      DATABASE_URL: getUrl(NAMES.latin),
      METRICS_PORT: '0',
      PORT: '0',
      ...env,
    };
    const program = startProgram(folder, ['src/main.ts'], { HOST: '127.0.0.1', ...settings });
    expect(await program.ended).toMatchObject({ code: 1 });
    expect(program.errors()).toMatch(WAY);
  });
});

test('a database of SQL_ASCII is migrated, and warned of at the migration, at the start and by the doctor', async () => {
  const lines: string[] = [];
  const folder = path.join(repositoryRoot(), 'prisma/migrations');
  await applyMigrations({
    url: getUrl(NAMES.ascii),
    folder,
    report: () => undefined,
    tell: (line) => lines.push(line),
  });
  expect(lines[0]).toContain('SQL_ASCII');
  const warn = jest.fn();
  await refuseUnusableDatabase(getUrl(NAMES.ascii), { warn });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('SQL_ASCII'));
  expect(await examine(NAMES.ascii)).toContainEqual(
    expect.objectContaining({ level: 'warning', mend: expect.stringContaining('createdb -E UTF8') }),
  );
  await expect(refuseUnusableDatabase(getUrl(NAMES.latin), { warn })).rejects.toThrow(UnusableServiceError);
});

test.each([
  ['apps/api', {}],
  ['apps/generation-worker', { PROVIDERS: 'sandbox' }],
  ['apps/webhook-worker', {}],
])(
  '%s does not start on a database that lacks the last migration of its release, and names the command',
  async (folder, env) => {
    const database = await createTestDatabase();
    await database.pool.query(
      'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
    );
    const settings = { ...api.workerEnv, DATABASE_URL: database.url, METRICS_PORT: '0', PORT: '0', ...env };
    const program = startProgram(folder, ['src/main.ts'], { HOST: '127.0.0.1', ...settings });
    expect(await program.ended).toMatchObject({ code: 1 });
    expect(program.errors()).toMatch(/lacks migrations of this release.*npm run gateway -- migrate/);
    await database.close();
  },
);
