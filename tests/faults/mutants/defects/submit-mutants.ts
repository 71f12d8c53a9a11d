import type { Mutant } from '../mutant.js';

const billing = 'packages/shared/src/domain/billing';
const insertTasks = `${billing}/insert-tasks.sql`;
const inserter = `${billing}/insert-tasks.ts`;
const judgeSubmit = `${billing}/judge-submit.sql`;
const judging = 'packages/shared/test/billing/judge-submit.test.ts';

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
      {
        file: insertTasks,
        find: 'held_micros = c.held_micros + t.hold,\n         task_count',
        replace: 'task_count',
      },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'hold-beyond-free',
    defect: 'a hold may be larger than the free money of its account',
    edits: [
      {
        file: judgeSubmit,
        find: "      UNION ALL SELECT 11, 'balance', 0::int8, s.hold, s.available\n",
        replace: '',
      },
      { file: insertTasks, find: 'total <= available\n', replace: 'total > 0\n' },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'open-count-not-raised',
    defect: 'a submit does not count the open tasks of its account',
    edits: [
      {
        file: insertTasks,
        find: 'task_count = c.task_count + t.tasks,\n         open_count = c.open_count + t.tasks',
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
        find: '...usageApiRoutes(deps),',
        replace: '...usageApiRoutes({ ...deps, reads: { ofAccount: () => deps.accept.db as never } }),',
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
    defect: 'each try of a submit may insert a task of its own',
    edits: [
      {
        file: inserter,
        find: '    for (;;) {\n',
        replace: '    for (let tries = 0; ; tries++) {\n',
      },
      {
        file: inserter,
        find: '[toRow(task, limits)]',
        replace: '[toRow({ ...task, id: task.id + tries }, limits)]',
      },
    ],
    hunters: ['packages/shared/test/billing/accept.test.ts'],
  },
  {
    name: 'added-fields-no-fingerprint',
    defect: 'an idempotency key answers a request whose quality, seed or format is another one',
    edits: [
      {
        file: `${billing}/accept-generation.ts`,
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
        find: 'if (!purchase) {',
        replace: 'if (!purchase && listQualities(model, resolution).length > 0) {',
      },
      {
        file: 'packages/shared/src/domain/task/fields.ts',
        find: 'RESOLUTIONS.some((resolution) => findPurchase(model, resolution, quality) !== undefined),',
        replace: 'RESOLUTIONS.some(() => true),',
      },
    ],
    hunters: ['packages/shared/src/domain/task/create-request-parser.test.ts'],
  },
  {
    name: 'webhooks-of-earlier-snapshot',
    defect: 'a submit that waits for its account does not see which webhooks have ended meanwhile',
    edits: [
      {
        file: 'prisma/functions/webhook_deliveries.sql',
        find: 'count_ended_webhooks(account text) RETURNS int8 LANGUAGE plpgsql VOLATILE',
        replace: 'count_ended_webhooks(account text) RETURNS int8 LANGUAGE plpgsql STABLE',
      },
    ],
    hunters: ['packages/shared/test/billing/webhook-limits.test.ts'],
  },
  {
    name: 'submit-without-lock',
    defect: 'a submit judges its account without a lock',
    edits: [
      {
        file: judgeSubmit,
        find: '   /*= lock */\n',
        replace: '',
      },
    ],
    hunters: ['packages/shared/test/billing/key-caps.test.ts'],
  },
  {
    name: 'limit-not-judged',
    defect: 'the cap of a month is not among the limits of a submit',
    edits: [
      {
        file: judgeSubmit,
        find: "      UNION ALL SELECT 8, 'cap_month', s.month_micros, s.hold, s.cap_month_micros\n",
        replace: '',
      },
    ],
    hunters: [judging],
  },
  {
    name: 'limits-in-another-order',
    defect: 'a submit that exceeds several limits is told of the last one',
    edits: [
      { file: insertTasks, find: 'ORDER BY s.place, e.number', replace: 'ORDER BY s.place, e.number DESC' },
    ],
    hunters: [judging],
  },
  {
    name: 'quote-without-caps',
    defect: 'a quote calls affordable what a cap of its key refuses',
    edits: [
      {
        file: `${billing}/judge-submit.ts`,
        find: "name === 'balance' || name.startsWith('cap_')",
        replace: "name === 'balance'",
      },
    ],
    hunters: ['apps/api/test/key-account.test.ts'],
  },
  {
    name: 'balance-told-to-all',
    defect: 'a refusal tells the balance to a key without the scope read',
    edits: [
      {
        file: `${billing}/accept-generation.ts`,
        find: "scopes?.includes('read') ?? false",
        replace: 'scopes !== null',
      },
    ],
    hunters: [judging],
  },
  {
    name: 'mask-requires-nothing',
    defect: 'a mask is taken beside fields that only another route takes, and its task fails',
    edits: [
      {
        file: 'packages/shared/src/domain/task/fields.ts',
        find: 'requires: OPTIONAL_FIELDS.mask,',
        replace: '',
      },
    ],
    hunters: [
      'packages/shared/src/domain/task/create-request-parser.test.ts',
      'apps/api/test/unmet-requirements.test.ts',
    ],
  },
  {
    name: 'requirements-shared-among-routes',
    defect: 'a route counts that meets one of the requirements of a request',
    edits: [
      {
        file: 'packages/shared/src/domain/catalog/document/find-model-routes.ts',
        find: 'required.every(([property, value])',
        replace: 'required.slice(0, 1).every(([property, value])',
      },
    ],
    hunters: ['packages/shared/src/domain/task/create-request-parser.test.ts'],
  },
];
