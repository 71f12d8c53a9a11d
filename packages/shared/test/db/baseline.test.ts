import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations } from '@image-gateway/shared/db';
import { findRelease, repositoryRoot, testServices } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { describeSchema } from './support/describe-schema.js';

const PRODUCT = path.join(repositoryRoot(), 'prisma/migrations');
const BASELINE = '20261126120000_release_0_3_0';
const REPLACED = readFileSync(path.join(PRODUCT, BASELINE, 'replaces.txt'), 'utf8')
  .trim()
  .split('\n');
/** Migrations of this release that no build of 0.3.0 has. */
const LATER = readdirSync(PRODUCT)
  .filter((name) => /^\d/.test(name) && name !== BASELINE)
  .sort();

const release = findRelease('0.3.0');
const withHistory = 'missing' in release ? describe.skip : describe;

let folder: string;
let admin: pg.Client;
let names: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'baseline-'));
  names = [];
  admin = new pg.Client({ connectionString: testServices().databaseUrl });
  await admin.connect();
});
afterEach(async () => {
  for (const name of names) {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
  await admin.end();
  rmSync(folder, { recursive: true });
});

interface Migrated {
  readonly apply: (migrations: string, rolledBack?: string) => Promise<string[]>;
  readonly query: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  readonly describe: () => Promise<Record<string, unknown>>;
  readonly listNames: () => Promise<string[]>;
}

/** Creates an empty database. */
async function createEmpty(): Promise<Migrated> {
  const name = `baseline_${randomBytes(6).toString('hex')}`;
  names.push(name);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(testServices().databaseUrl), { pathname: `/${name}` }).href;
  const inSession = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const query: Migrated['query'] = async (text, values) =>
    (await inSession((client) => client.query<Record<string, unknown>>(text, values))).rows;
  const silent = () => undefined;
  return {
    apply: (migrations, rolledBack) =>
      applyMigrations({ url, folder: migrations, rolledBack, report: silent, tell: silent }),
    query,
    describe: () => inSession(describeSchema),
    listNames: async () =>
      (await query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')).map(({ name: one }) =>
        String(one),
      ),
  };
}

/** Puts the migrations of 0.3.0 into the folder, as they are in its commit; returns where they are. */
function extract(): string {
  if ('missing' in release) {
    throw new Error(release.missing);
  }
  release.extract(folder, 'prisma/migrations');
  return path.join(folder, 'prisma/migrations');
}

/** Puts the baseline alone into the folder. */
function copyBaseline(): string {
  const alone = path.join(folder, 'alone');
  cpSync(path.join(PRODUCT, BASELINE), path.join(alone, BASELINE), { recursive: true });
  return alone;
}

withHistory('the baseline of 0.3.0', () => {
  test('makes what the migrations in the commit of 0.3.0 make, and knows each of them', async () => {
    const former = extract();
    const [old, fresh] = [await createEmpty(), await createEmpty()];
    expect(await old.apply(former)).toEqual(REPLACED);
    expect(await fresh.apply(copyBaseline())).toEqual([BASELINE]);
    const made = await fresh.describe();
    expect(Object.keys(made).length).toBeGreaterThan(500);
    expect(made).toEqual(await old.describe());
    expect(await fresh.listNames()).toEqual([...REPLACED, BASELINE].sort());
  });

  test('is skipped where they are applied, whatever their checksums; what follows leads both ways to the same schema and names', async () => {
    const former = extract();
    const [old, fresh] = [await createEmpty(), await createEmpty()];
    await old.apply(former);
    await old.query("UPDATE _prisma_migrations SET checksum = 'of another text'");
    expect(await old.apply(PRODUCT)).toEqual(LATER);
    expect(await fresh.apply(PRODUCT)).toEqual([BASELINE, ...LATER]);
    expect(await old.describe()).toEqual(await fresh.describe());
    expect(await old.listNames()).toEqual(await fresh.listNames());
    expect([await old.apply(PRODUCT), await fresh.apply(PRODUCT)]).toEqual([[], []]);
    // A process of 0.3.0 that migrates finds nothing to do either.
    expect([await old.apply(former), await fresh.apply(former)]).toEqual([[], []]);
  });

  test('is skipped by a build after 0.3.0, which gets what it lacks', async () => {
    const database = await createEmpty();
    const some = extract();
    for (const name of LATER.slice(0, 2)) {
      cpSync(path.join(PRODUCT, name), path.join(some, name), { recursive: true });
    }
    expect(await database.apply(some)).toEqual([...REPLACED, ...LATER.slice(0, 2)]);
    expect(await database.apply(PRODUCT)).toEqual(LATER.slice(2));
  });
});

describe('a database that has some migrations of 0.3.0', () => {
  let database: Migrated;
  const migrate = (rolledBack?: string) => database.apply(PRODUCT, rolledBack);
  beforeEach(async () => {
    database = await createEmpty();
    await database.apply(copyBaseline());
    await database.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [BASELINE]);
  });

  test('is refused, with what it lacks and the way, and nothing is applied', async () => {
    const lacking = REPLACED.at(-1);
    await database.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [lacking]);
    const before = await database.listNames();
    const refusal = migrate();
    await expect(refusal).rejects.toThrow(
      /^This database is of a release before 0\.3\.0, .* Start 0\.3\.0 on it once, .*docs\/releases\.md names its commit\. Nothing was applied\.$/,
    );
    await expect(refusal).rejects.toThrow(`it lacks ${lacking}.`);
    expect(await database.listNames()).toEqual(before);
  });

  test('is refused when one of them was left half-way, with its name and what mends it', async () => {
    const halfWay = REPLACED[20] ?? '';
    await database.query(
      `UPDATE _prisma_migrations SET finished_at = NULL, logs = 'deadlock detected' WHERE migration_name = $1`,
      [halfWay],
    );
    await expect(migrate()).rejects.toThrow(
      new RegExp(
        `began the migration ${halfWay} .*deadlock detected.* apply it again with 0\\.3\\.0, .* With 0\\.3\\.0: npm run gateway -- migrate --rolled-back ${halfWay}$`,
      ),
    );
    await expect(migrate(halfWay)).rejects.toThrow(`it lacks ${halfWay}.`);
  });
});
