import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { migrationsHash } from './migrations-hash.js';
import { projectRoot } from './project-root.js';

const exec = promisify(execFile);

async function migrate(url: string): Promise<void> {
  const prisma = path.join(projectRoot, 'node_modules/.bin/prisma');
  await exec(prisma, ['migrate', 'deploy'], {
    cwd: projectRoot,
    env: { ...process.env, DATABASE_URL: url },
    timeout: 120_000,
  });
}

/** Makes the database with all migrations that tests are cloned from, once for each state of the migrations; answers its name. */
export async function ensureTemplate(admin: pg.Client, serverUrl: string): Promise<string> {
  const name = `template_${migrationsHash(path.join(projectRoot, 'prisma/migrations'))}`;
  // Workers ask at the same time: the first one makes it, the others wait.
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return name;
    const unfinished = `${name}_unfinished`;
    await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${unfinished}`);
    const url = new URL(serverUrl);
    url.pathname = `/${unfinished}`;
    await migrate(url.href);
    await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return name;
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}
