import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { projectRoot } from './project-root.js';

export interface BrokenInvariant {
  name: string;
  rows: unknown[];
}

interface Invariant {
  name: string;
  when: 'live' | 'rest';
  sql: string;
}

function readInvariants(): Invariant[] {
  const text = fs.readFileSync(path.join(projectRoot, 'prisma/invariants.sql'), 'utf8');
  return [...text.matchAll(/^-- name: (.+)\n([\s\S]*?)(?=^-- name:|$(?![\s\S]))/gm)].map(
    ([, name = '', sql = '']) => ({
      name,
      when: / rest:/.test(name) ? 'rest' : 'live',
      sql,
    }),
  );
}

/** Runs the invariants in one snapshot and answers with those that return rows: `live` ones hold always, `rest` adds the others. */
export async function brokenInvariants(url: string, when: 'live' | 'rest'): Promise<BrokenInvariant[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const broken: BrokenInvariant[] = [];
    for (const invariant of readInvariants().filter((i) => when === 'rest' || i.when === 'live')) {
      const { rows } = await client.query<object>(invariant.sql);
      if (rows.length > 0) broken.push({ name: invariant.name, rows });
    }
    return broken;
  } finally {
    await client.end();
  }
}
