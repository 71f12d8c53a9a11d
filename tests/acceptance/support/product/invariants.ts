import { readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { eventually } from '../eventually.js';
import { withDatabase } from './database.js';
import { type Product, projectRoot } from './product.js';

interface Invariant {
  name: string;
  live: boolean;
  sql: string;
}

/** The queries of prisma/invariants.sql, each with its name and whether it holds at every moment. */
export function readInvariants(): Invariant[] {
  const text = readFileSync(path.join(projectRoot, 'prisma', 'invariants.sql'), 'utf8');
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      const sql = lines.join('\n').trim().replace(/;$/, '');
      return { name: title.trim(), live: /^\S+ live:/.test(title), sql };
    });
}

/** Throws unless every live invariant holds in one snapshot of the database. */
export async function expectLiveInvariants(product: Product): Promise<void> {
  await expectHold(
    product,
    readInvariants().filter(({ live }) => live),
    [],
  );
}

/**
 * Waits until these accounts have no pending task (60 s), then throws unless all invariants hold.
 * The ones at rest are asked about these accounts only, since others may be at work on the same product.
 */
export async function expectInvariantsAtRest(product: Product, accountIds: readonly string[]): Promise<void> {
  await eventually(() => expectHold(product, readInvariants(), accountIds), {
    withinMs: 60_000,
    everyMs: 250,
  });
}

async function expectHold(
  product: Product,
  invariants: Invariant[],
  accountIds: readonly string[],
): Promise<void> {
  const broken = await withDatabase(product, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found: string[] = [];
    for (const invariant of invariants) {
      const rows = await readRows(client, invariant, accountIds);
      if (rows.length > 0) {
        found.push(`${invariant.name}: ${JSON.stringify(rows.slice(0, 5))}`);
      }
    }
    await client.query('COMMIT');
    return found;
  });
  if (broken.length > 0) {
    throw new Error(`broken invariants:\n${broken.join('\n')}`);
  }
}

async function readRows(client: pg.Client, { live, sql }: Invariant, accountIds: readonly string[]) {
  if (live) {
    return (await client.query<{ id: string }>(sql)).rows;
  }
  const mine = `SELECT id FROM (${sql}) AS broken WHERE id = ANY($1) OR id IN (SELECT id FROM tasks WHERE account_id = ANY($1))`;
  return (await client.query<{ id: string }>(mine, [[...accountIds]])).rows;
}
