import { readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { repositoryRoot } from './repository-root.js';

/** `live`: those that hold at every moment; `rest`: all of them, when no work is left. */
export type InvariantScope = 'live' | 'rest';

/** Runs prisma/invariants.sql in one read-only snapshot; throws an Error that names each broken one with its rows. */
export async function checkInvariants(pool: pg.Pool, scope: InvariantScope): Promise<void> {
  const client = await pool.connect();
  const broken: string[] = [];
  let lost: Error | undefined;
  // A session that ends while it is in use would end this process as well.
  const onLost = (error: Error): void => {
    lost = error;
  };
  client.on('error', onLost);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (const { title, live, sql } of readInvariants()) {
      if (scope === 'live' && !live) {
        continue;
      }
      const { rows } = await client.query(sql);
      if (rows.length > 0) {
        broken.push(`${title}: ${JSON.stringify(rows.slice(0, 3))} (${rows.length} rows)`);
      }
    }
    await client.query('COMMIT');
  } catch (error) {
    lost ??= error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(lost);
    if (lost === undefined) {
      client.off('error', onLost);
    }
  }
  if (broken.length > 0) {
    throw new Error(`broken invariants:\n${broken.join('\n')}`);
  }
}

function readInvariants(): { title: string; live: boolean; sql: string }[] {
  const text = readFileSync(path.join(repositoryRoot(), 'prisma/invariants.sql'), 'utf8');
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...sql] = part.split('\n');
      return { title, live: / live:/.test(title), sql: sql.join('\n') };
    });
}
