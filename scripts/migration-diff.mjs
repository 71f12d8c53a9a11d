import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const same = 0;
const different = 2;

/**
 * The SQL that leads from the migrations to the schema; null when they agree. Constraints, triggers and partial indexes
 * that the schema language cannot express are not compared. Throws an error with Prisma's words when the migrations do not apply.
 * @param {string} databaseUrl a server on which a shadow database may be made
 * @param {string} schema file
 * @returns {string | null}
 */
export function migrationDiff(databaseUrl, schema) {
  const prisma = path.join(root, 'node_modules/.bin/prisma');
  const args = [
    'migrate',
    'diff',
    '--from-migrations',
    'prisma/migrations',
    '--to-schema',
    schema,
    '--script',
    '--exit-code',
  ];
  const env = { ...process.env, DATABASE_URL: databaseUrl, PRISMA_HIDE_UPDATE_MESSAGE: '1', NO_COLOR: '1' };
  const result = spawnSync(prisma, args, { cwd: root, env, encoding: 'utf8' });
  // Said in words, too: a comparison that broke off must not pass for one that found nothing.
  if (result.status === same && result.stdout.includes('This is an empty migration')) return null;
  if (result.status === different) return result.stdout.trim();
  throw new Error(`The migrations and the schema could not be compared:\n${result.stdout}${result.stderr}`);
}
