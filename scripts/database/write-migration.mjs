import fs from 'node:fs';
import path from 'node:path';
import { bootstrap } from '../bootstrap/bootstrap.mjs';
import { findMissingMigration } from './find-missing-migration.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Writes prisma/migrations/<UTC time>_<name>/migration.sql, which processes wait for from then on; returns the exit code.
 * @param {string | undefined} name
 */
export async function writeMigration(name) {
  if (!/^[a-z][a-z0-9_]*$/.test(name ?? '')) {
    console.error(
      'Give the migration a name of small letters, digits and underscores: pnpm db:migrate add_country',
    );
    return 1;
  }
  const sql = await findMissingMigration('prisma/schema.prisma');
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const file = path.join(ROOT, 'prisma/migrations', `${time}_${name}`, 'migration.sql');
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, sql === null ? '-- The schema has not changed: write the SQL here.\n' : `${sql}\n`);
  const last = path.join(ROOT, 'packages/shared/src/domain/db/migrations/last-migration.ts');
  fs.writeFileSync(last, fs.readFileSync(last, 'utf8').replace(/'\d{14}_\w+'/, `'${time}_${name}'`));
  await bootstrap({ goals: ['generate'], out: process.stderr });
  console.log(path.relative(ROOT, file));
  return 0;
}
