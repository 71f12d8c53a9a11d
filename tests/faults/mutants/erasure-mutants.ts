import type { Mutant } from './mutant.js';

const db = 'packages/shared/src/domain/db';

/** Defects in how tasks are deleted. */
export const erasureMutants: readonly Mutant[] = [
  {
    name: 'deletion-leaves-prompt',
    defect: 'the row of a deleted task keeps its prompt',
    edits: [
      {
        file: `${db}/tasks/delete-task.ts`,
        find: "prompt = '', negative_prompt",
        replace: 'negative_prompt',
      },
      {
        file: 'prisma/migrations/20261123032500_erasure/migration.sql',
        find: "prompt = '' AND ",
        replace: '',
      },
    ],
    hunters: ['apps/api/test/delete-task.test.ts'],
  },
  {
    name: 'deletion-leaves-images',
    defect: 'the images of a deleted task stay in the bucket',
    edits: [
      {
        file: `${db}/orphan-checks/take-orphan-checks.ts`,
        find: ' AND t.erased_at IS NULL',
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/inputs.test.ts'],
  },
  {
    name: 'deleted-task-listed',
    defect: 'a deleted task is in the list of its account',
    edits: [
      {
        file: `${db}/tasks/list-tasks.ts`,
        find: 'AND t.deleted_at IS NULL ORDER BY',
        replace: 'ORDER BY',
      },
    ],
    hunters: ['apps/api/test/delete-task.test.ts'],
  },
];
