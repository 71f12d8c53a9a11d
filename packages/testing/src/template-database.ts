import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { applyMigrations } from '@image-gateway/shared/db';
import type pg from 'pg';
import { repositoryRoot } from './repository-root.js';

const LOCK = 7_145_001;

/** Makes the migrated template once for each state of the migrations, however many Jest workers ask at a time; returns its name. */
export async function templateDatabase(admin: pg.Client, adminUrl: string): Promise<string> {
  const name = `gateway_template_${migrationsHash()}`;
  await admin.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
    if (found.rowCount) {
      return name;
    }
    await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const folder = path.join(repositoryRoot(), 'prisma/migrations');
    await applyMigrations({ url: url.href, folder, report: () => undefined, tell: () => undefined });
    await admin.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
    return name;
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}

function migrationsHash(): string {
  const folder = path.join(repositoryRoot(), 'prisma/migrations');
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name.localeCompare(b.name),
  )) {
    if (!entry.isDirectory()) {
      continue;
    }
    hash.update(entry.name).update(readFileSync(path.join(folder, entry.name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 16);
}
