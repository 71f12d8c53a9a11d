import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bootstrap } from '../bootstrap/bootstrap.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
// Exit codes of `prisma migrate diff --exit-code`.
const SAME = 0;
const DIFFERENT = 2;

/**
 * Returns the SQL that leads from the migrations to a schema file; null when they agree. Constraints, triggers and partial indexes
 * that the schema language cannot express are not compared. Throws Error with Prisma's words when the migrations do not apply.
 * Uses the PostgreSQL of a test run when there is one, else one that is removed afterwards.
 * @param {string} schema
 * @returns {Promise<string | null>}
 */
export async function findMissingMigration(schema) {
  if (process.env.TEST_DATABASE_URL) {
    return compare(process.env.TEST_DATABASE_URL, schema);
  }
  await bootstrap({ goals: ['install', 'build-stack'], out: process.stderr });
  const { startTestServices } = await import('../../packages/local-stack/dist/index.js');
  const services = await startTestServices({
    wanted: new Set(['postgres']),
    cacheDir: path.join(ROOT, '.cache'),
    out: process.stderr,
    signal: new AbortController().signal,
  });
  try {
    return compare(services.env.TEST_DATABASE_URL, schema);
  } finally {
    await services.stop();
  }
}

/** @param {string} databaseUrl a server on which a shadow database may be made @param {string} schema */
function compare(databaseUrl, schema) {
  const prisma = path.join(ROOT, 'node_modules/.bin/prisma');
  const migrations = ['--from-migrations', 'prisma/migrations'];
  const args = ['migrate', 'diff', ...migrations, '--to-schema', schema, '--script', '--exit-code'];
  const env = { ...process.env, DATABASE_URL: databaseUrl, PRISMA_HIDE_UPDATE_MESSAGE: '1', NO_COLOR: '1' };
  const result = spawnSync(prisma, args, { cwd: ROOT, env, encoding: 'utf8' });
  // The words are checked too: a comparison that broke off must not pass for one that found nothing.
  if (result.status === SAME && result.stdout.includes('This is an empty migration')) {
    return null;
  }
  if (result.status === DIFFERENT) {
    return result.stdout.trim();
  }
  throw new Error(`The migrations and the schema could not be compared:\n${result.stdout}${result.stderr}`);
}
