import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { applyMutant } from '../faults/mutants/apply-mutant.js';
import { copyCheckout } from '../faults/mutants/copy-checkout.js';
import type { Edit } from '../faults/mutants/mutant.js';
import type { Release } from './prepare-release.js';

/** Patch that makes another build of this checkout: a field of requests that workers of this one do not draw, with its column. */
const PATCH: readonly Edit[] = [
  {
    file: 'packages/shared/src/domain/upstreams/capabilities.ts',
    find: '  mask: { kind:',
    replace: "  grain: { kind: 'values', values: ['fine', 'coarse'] },\n  mask: { kind:",
  },
  {
    file: 'packages/shared/src/domain/task/fields.ts',
    find: '  metadata: {\n    schema: () =>',
    replace: `  grain: {
    schema: () => choice(['fine', 'coarse']).description('Grain of the images.'),
    sqlType: 'text',
    fingerprint: null,
    isAdded: true,
    requires: OPTIONAL_FIELDS.grain,
    isAside: true,
  },
  metadata: {
    schema: () =>`,
  },
  {
    file: 'packages/shared/src/domain/contract/generate-request.ts',
    find: '  readonly background?: Background;\n  /** Shown',
    replace: "  readonly background?: Background;\n  readonly grain?: 'fine' | 'coarse';\n  /** Shown",
  },
];

/** Its migration: the column, and a counter that processes of this build do not keep, so a trigger does. */
const MIGRATION = `
ALTER TABLE "tasks" ADD COLUMN "grain" TEXT;
CREATE TABLE "task_totals" (account_id TEXT PRIMARY KEY REFERENCES "accounts" (id), tasks INT NOT NULL);
LOCK TABLE "tasks" IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO task_totals SELECT account_id, count(*) FROM tasks GROUP BY 1;
CREATE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_totals AS t SELECT account_id, count(*) FROM inserted GROUP BY 1
  ON CONFLICT (account_id) DO UPDATE SET tasks = t.tasks + EXCLUDED.tasks;
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_total" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();
`;

/** Says how far the counter of the other build is from the number of tasks. */
export const COUNT_GAP =
  'SELECT ((SELECT count(*) FROM tasks) - (SELECT sum(tasks) FROM task_totals))::int AS gap';

/**
 * Copies this checkout as it is, applies the patch and compiles it; `remove` deletes the copy. Throws Error when the patch does
 * not fit.
 */
export function buildNext(): { readonly release: Release; readonly remove: () => void } {
  const source = repositoryRoot();
  const left = ['.git', 'node_modules', 'dist', '.cache', '.data', 'coverage'].map(
    (name) => `--exclude=${name}`,
  );
  const checkout = copyCheckout(source, () =>
    execFileSync('tar', ['-c', '-C', source, ...left, '.'], { maxBuffer: 1e9 }),
  );
  try {
    applyMutant(checkout.root, { name: 'next build', edits: PATCH });
    const folder = path.join(checkout.root, 'prisma/migrations/99991230000000_next_build');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'migration.sql'), MIGRATION);
    checkout.build();
  } catch (error) {
    checkout.remove();
    throw error;
  }
  return { release: { name: 'new', root: checkout.root }, remove: checkout.remove };
}
