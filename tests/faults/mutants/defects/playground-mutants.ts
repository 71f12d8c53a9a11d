import type { Mutant } from '../mutant.js';

const runs = 'apps/api/src/task/list-playground-runs.ts';
const detail = 'apps/api/src/task/find-own-task-detail.ts';
const playground = 'apps/api/test/dashboard/playground.test.ts';

/** Defects of the playground's runs: whose they are, what they say, and what of them can be had again. */
export const playgroundMutants: readonly Mutant[] = [
  {
    name: 'runs-of-others',
    defect: 'the playground lists runs of every account',
    edits: [
      {
        file: runs,
        find: 'WHERE t.account_id = $1 AND',
        replace: 'WHERE $1::text IS NOT NULL AND',
      },
    ],
    hunters: [playground],
  },
  {
    name: 'wait-blames-provider',
    defect: 'a task that waits for a rate limit says that the provider failed',
    edits: [
      {
        file: detail,
        find: "return tries > 0 && hasFailed ? 'provider-failed' : 'pause';",
        replace: "return tries > 0 || hasFailed ? 'provider-failed' : 'pause';",
      },
    ],
    hunters: [playground],
  },
  {
    name: 'run-names-lost-files',
    defect: 'a run gives back the ids of files that are deleted',
    edits: [
      {
        file: detail,
        find: 'return files.some(({ id }) => id === upload.id) ? fileId(upload.id) : [];',
        replace: 'return files.length >= 0 ? fileId(upload.id) : [];',
      },
    ],
    hunters: [playground],
  },
  {
    name: 'gifts-unwarned',
    defect: 'doctor is silent about a credit for addresses that nobody confirmed',
    edits: [
      {
        file: 'apps/api/src/doctor/check-providers.ts',
        find: 'isPaid && settings.ALLOW_SIGNUP &&',
        replace: '!isPaid && settings.ALLOW_SIGNUP &&',
      },
    ],
    hunters: ['apps/api/test/cli/doctor.test.ts'],
  },
];
