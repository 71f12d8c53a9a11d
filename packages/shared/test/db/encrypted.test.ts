import { createDatabase, type Database } from '@image-gateway/shared/db';
import {
  type Certificates,
  canCreateCertificates,
  createCertificates,
  createTestDatabase,
  eventually,
  findPgBouncer,
  type PgBouncer,
  startPgBouncer,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getOutcome, OVERLOAD } from './behind-relay.js';

const isPossible = canCreateCertificates() && findPgBouncer() !== undefined;
const testEncrypted = isPossible ? test : test.skip;
const eachEncrypted = isPossible ? test.each : test.skip.each;

let database: TestDatabase;
let certificates: Certificates;
let server: PgBouncer;
const open: Database[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  if (isPossible) {
    certificates = createCertificates();
    server = await startPgBouncer(database.url, 'session', certificates);
  }
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
});
afterAll(async () => {
  if (isPossible) {
    await server.stop();
    certificates.dispose();
  }
  await database.close();
});

function reach(query: string, hostname = 'localhost'): Database {
  const url = Object.assign(new URL(server.url), { hostname, search: query }).href;
  const db = createDatabase({ url, applicationName: 'encrypted', max: 1, statementTimeoutMs: 1_000 });
  open.push(db);
  return db;
}
const ask = (db: Database, text = 'SELECT 1 AS one') => getOutcome(db.run({ name: text, text }, []));

describe('a PostgreSQL with the certificate of a private authority', () => {
  eachEncrypted(['verify-full', 'require', 'verify-ca', 'prefer'])(
    'is reached with sslmode=%s and the file of sslrootcert, and not without that file',
    async (mode) => {
      expect(await ask(reach(`?sslmode=${mode}&sslrootcert=${certificates.authority}`))).toBe('answered');
      expect(await ask(reach(`?sslmode=${mode}`))).not.toBe('answered');
    },
  );

  testEncrypted('is reached unchecked with sslmode=no-verify, and not at all without TLS', async () => {
    expect(await ask(reach('?sslmode=no-verify'))).toBe('answered');
    expect(await ask(reach(''))).not.toBe('answered');
  });

  testEncrypted('is not believed under a name that the certificate does not have', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${certificates.authority}`;
    expect(await ask(reach(query, '127.0.0.2'))).not.toBe('answered');
    expect(await ask(reach('?sslmode=no-verify', '127.0.0.2'))).toBe('answered');
  });

  testEncrypted('ends a statement that is over its time', async () => {
    const db = reach(`?sslmode=verify-full&sslrootcert=${certificates.authority}`);
    expect(await ask(db, 'SELECT pg_sleep(60)')).toEqual(OVERLOAD);
    await eventually(
      async () => {
        const { rows } = await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'`,
        );
        expect(rows).toEqual([]);
      },
      { timeoutMs: 5_000 },
    );
  });
});
