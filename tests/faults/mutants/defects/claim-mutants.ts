import type { Mutant } from '../mutant.js';

const db = 'packages/shared/src/domain/db/tasks/claims';
const claims = 'apps/generation-worker/src/claiming/create-claims.ts';
const claimInTurns = 'packages/shared/test/db/claim-in-turns.test.ts';

/** Defects in how tasks are claimed in turns and how sweeps share their work. */
export const claimMutants: readonly Mutant[] = [
  {
    name: 'walk-begins-anew',
    defect: 'a page of accounts with nothing due sends the walk back to the first account',
    edits: [
      {
        file: `${db}/claim-in-turns.ts`,
        find: 'CASE WHEN visited < $9::int AND opened < $4::int THEN',
        replace: 'CASE WHEN opened < $4::int THEN',
      },
    ],
    hunters: [claimInTurns],
  },
  {
    name: 'cursor-begins-anew',
    defect:
      'a look that finds nothing sends a worker back to the first account, and accounts with nothing due use up a look',
    edits: [
      { file: claims, find: 'ACCOUNTS_A_PAGE = 2_000', replace: 'ACCOUNTS_A_PAGE = 4' },
      { file: claims, find: 'MAX_PAGES = 5', replace: 'MAX_PAGES = 1' },
      {
        file: claims,
        find: 'cursor = turns.next;',
        replace: "cursor = turns.tasks.length > 0 ? turns.next : '';",
      },
      { file: claims, find: 'if (few) {', replace: 'if (few && few.length > 0) {' },
      { file: `${db}/claim-in-turns.ts`, find: 'const MAX_FEW = 250', replace: 'const MAX_FEW = 0' },
    ],
    hunters: ['apps/generation-worker/test/idle.test.ts'],
  },
  {
    name: 'picked-claimed-unchecked',
    defect: 'a task that another worker has claimed meanwhile is claimed again',
    edits: [
      {
        file: `${db}/claim-in-turns.ts`,
        find: "t.status = 'pending' AND t.phase = 'queued' AND t.due_at <= now()",
        replace: "t.status = 'pending'",
      },
    ],
    hunters: [claimInTurns],
  },
  {
    name: 'clean-tasks-checked',
    defect: 'the bucket is searched for objects of every task, also when its attempts were clean',
    edits: [
      {
        file: 'packages/shared/src/domain/billing/settle-task.sql',
        find: 'OR t.tidy_attempt < t.attempt - 1',
        replace: 'OR true',
      },
    ],
    hunters: ['apps/generation-worker/test/clean.test.ts'],
  },
  {
    name: 'backlog-forgotten',
    defect: 'a worker waits a second before a backlog after a search for its reserved slots alone',
    edits: [
      {
        file: 'apps/generation-worker/src/claiming/create-due-claiming.ts',
        find: 'hasBacklog = !isNothingDue;',
        replace: 'hasBacklog = claimed > 0;',
      },
    ],
    hunters: ['apps/generation-worker/src/claiming/create-due-claiming.test.ts'],
  },
  {
    name: 'late-job-forgotten',
    defect: 'a job whose id arrives while its call is forgotten is never stopped',
    edits: [
      {
        file: 'packages/shared/src/domain/db/provider-calls/abandoned-calls.ts',
        find: '   AND a.due_at > clock_timestamp()',
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/sweeps.test.ts'],
  },
];
