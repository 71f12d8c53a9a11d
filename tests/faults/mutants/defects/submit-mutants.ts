import type { Mutant } from '../mutant.js';

const insertTasks = 'packages/shared/src/domain/billing/insert-tasks.ts';

/** Defects before and in the statement that holds the price at submit, and in how callers share statements. */
export const submitMutants: readonly Mutant[] = [
  {
    name: 'upload-gone-too-soon',
    defect: 'uploads are removed while a finished task may still be read with them',
    edits: [
      {
        file: 'packages/shared/src/domain/db/task-inputs/unneeded-inputs.ts',
        find: "ELSE t.completed_at + interval '24 hours' END AS needed_until",
        replace: 'ELSE t.completed_at END AS needed_until',
      },
    ],
    hunters: ['apps/generation-worker/test/uploads.test.ts'],
  },
  {
    name: 'hold-not-added',
    defect: 'a task is inserted and its price is not held',
    edits: [
      { file: insertTasks, find: 'held_micros = c.held_micros + t.hold, task_count', replace: 'task_count' },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'hold-beyond-free',
    defect: 'a hold may be larger than the free money of its account',
    edits: [
      {
        file: insertTasks,
        find: 'WHERE i.hold <= l.free AND',
        replace: 'WHERE i.hold IS NOT NULL AND',
      },
      { file: insertTasks, find: 'WHERE total <= free AND open_count', replace: 'WHERE open_count' },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'open-count-not-raised',
    defect: 'a submit does not count the open tasks of its account',
    edits: [
      {
        file: insertTasks,
        find: 'task_count = c.task_count + t.tasks,\n                        open_count = c.open_count + t.tasks',
        replace: 'task_count = c.task_count + t.tasks',
      },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'reads-in-the-common-share',
    defect: 'lists take their connections from submits',
    edits: [
      {
        file: 'apps/api/src/routes.ts',
        find: 'handle: listUsageHandler(deps)',
        replace: 'handle: listUsageHandler({ ...deps, reads: { ofAccount: () => deps.accept.db as never } })',
      },
    ],
    hunters: ['reads-held-up'],
  },
  {
    name: 'answers-shifted',
    defect: 'callers of a shared statement get the answers of one another',
    edits: [
      {
        file: 'packages/shared/src/domain/db/batch-statements.ts',
        find: 'found[order[Number(place) - 1] ?? -1]',
        replace: 'found[order[Number(place) % order.length] ?? -1]',
      },
    ],
    hunters: ['simulation', 'baseline'],
  },
  {
    name: 'forged-keys-unlimited',
    defect: 'an address whose failed authentications are used up still has its unknown keys looked up',
    edits: [
      {
        file: 'apps/api/src/http/admission.ts',
        find: 'left.map((check) => ({ ...check, cost: 0 }))',
        replace: 'left.slice(left.length)',
      },
    ],
    hunters: ['strangers'],
  },
  {
    name: 'submit-of-two-tasks',
    defect: 'each round of a submit may insert a task of its own',
    edits: [
      {
        file: 'packages/shared/src/domain/billing/accept-generation.ts',
        find: 'await insert(deps, input, { id, fingerprint });',
        replace: "await insert(deps, input, { id: round === 0 ? id : deps.newId('gen'), fingerprint });",
      },
    ],
    hunters: ['packages/shared/test/billing/accept.test.ts'],
  },
  {
    name: 'added-fields-no-fingerprint',
    defect: 'an idempotency key answers a request whose quality, seed or format is another one',
    edits: [
      {
        file: 'packages/shared/src/domain/billing/accept-generation.ts',
        find: '(holder.added === null || fingerprint.added.equals(holder.added))',
        replace: '(holder.added === null || holder.added.length > 0)',
      },
    ],
    hunters: ['packages/shared/test/billing/accept.test.ts'],
  },
  {
    name: 'added-field-dropped',
    defect: 'the second fingerprint leaves out a field that was added',
    edits: [
      {
        file: 'packages/shared/src/domain/task/fingerprint-request.ts',
        find: '(name) => request[name] !== undefined',
        replace: "(name) => name !== 'seed' && request[name] !== undefined",
      },
    ],
    hunters: ['packages/shared/src/domain/task/fingerprint-request.test.ts'],
  },
  {
    name: 'quality-without-price',
    defect: 'a model with one price draws any quality at it',
    edits: [
      {
        file: 'packages/shared/src/domain/task/create-request-parser.ts',
        find: 'quality !== undefined && !qualities.includes(quality)',
        replace: 'quality !== undefined && qualities.length > 0 && !qualities.includes(quality)',
      },
      {
        file: 'packages/shared/src/domain/task/fields.ts',
        find: 'RESOLUTIONS.some((resolution) => listQualities(model, resolution).includes(quality)),',
        replace: 'RESOLUTIONS.some((resolution) => listQualities(model, resolution).length >= 0),',
      },
    ],
    hunters: ['packages/shared/src/domain/task/create-request-parser.test.ts'],
  },
];
