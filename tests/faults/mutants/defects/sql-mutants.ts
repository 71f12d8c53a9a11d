import type { Mutant } from '../mutant.js';

const shared = 'packages/shared/src/domain';
const settleTask = `${shared}/billing/settle-task.sql`;
const writer = 'scripts/database/write-statements.mjs';
const hours = 'packages/shared/test/db/call-hours.test.ts';

/** Defects in the statements and in the database. */
export const sqlMutants: readonly Mutant[] = [
  {
    name: 'no-fence',
    defect: 'a task is settled whoever owns it by now',
    edits: [
      {
        file: writer,
        find: '\\nAND ${FENCE}`',
        replace: "\\nAND ${FENCE.replace(' AND t.attempt = i.attempt', '')}`",
      },
    ],
    hunters: ['simulation', 'worker-paused'],
  },
  {
    name: 'no-status-check',
    defect: 'a finished task is settled once more',
    edits: [
      {
        file: writer,
        find: '\\nAND ${FENCE}`',
        replace: `\\nAND \${FENCE.replace("t.status = 'pending' AND ", '')}\``,
      },
    ],
    hunters: ['simulation', 'worker-paused'],
  },
  {
    name: 'fence-gone',
    defect: 'no statement of an attempt looks at who owns the task by now',
    edits: [
      {
        file: `${shared}/db/tasks/fence.ts`,
        find: "t.status = 'pending' AND t.attempt = i.attempt",
        replace: "t.status = 'pending'",
      },
    ],
    hunters: ['simulation', 'worker-paused'],
  },
  {
    name: 'cancel-without-fence',
    defect: 'calls start although the task is canceled',
    edits: [
      {
        file: `${shared}/db/provider-calls/start-call.ts`,
        find: ' AND t.cancel_requested_at IS NULL',
        replace: '',
      },
    ],
    hunters: ['apps/api/test/cancel.test.ts'],
  },
  {
    name: 'guess-counted-twice',
    defect: 'the hours count a guess about a call as well as the definite outcome that replaces it',
    edits: [
      {
        file: 'prisma/functions/provider_calls.sql',
        find: 'o.finished_at, -1)',
        replace: 'o.finished_at, 0)',
      },
    ],
    hunters: [hours],
  },
  {
    name: 'hours-not-noted',
    defect: 'a settlement notes nothing for the hours of operators',
    edits: [
      {
        file: settleTask,
        find: 'SELECT array_agg(id)\n    FROM task\n',
        replace: 'SELECT array_agg(id)\n    FROM task\n   WHERE false\n',
      },
    ],
    hunters: [hours],
  },
  {
    name: 'hours-removed-without-adding',
    defect: 'the sweep removes rows of the journal and adds none of their tasks to the hours',
    edits: [
      {
        file: 'prisma/functions/counters.sql',
        find: 'FROM task_hour_entries e\n     WHERE e.id IN (SELECT id FROM added)',
        replace: 'FROM task_hour_entries e\n     WHERE e.id IN (SELECT id FROM added WHERE false)',
      },
    ],
    hunters: [hours],
  },
  {
    name: 'hours-added-twice',
    defect: 'two sessions that add up the journal at the same time add its rows twice',
    edits: [
      {
        file: 'prisma/functions/counters.sql',
        find: 'WHERE e.id IN (SELECT id FROM added)\n     GROUP BY 1, 2\n',
        replace: 'GROUP BY 1, 2\n',
      },
    ],
    hunters: [hours],
  },
  {
    name: 'ends-read-all-tasks',
    defect: 'counting the end of a task reads all tasks until they are analyzed',
    edits: [
      {
        file: 'prisma/functions/usage_records.sql',
        find: 'CROSS JOIN LATERAL (SELECT q.quality FROM tasks q WHERE q.id = n.task_id OFFSET 0) t',
        replace: 'JOIN tasks t ON t.id = n.task_id',
      },
      {
        file: 'prisma/functions/usage_records.sql',
        find: ' SET enable_seqscan = off',
        replace: '',
      },
    ],
    hunters: ['packages/shared/test/db/plans.test.ts'],
  },
  {
    name: 'settled-among-all-of-account',
    defect: 'a task to settle is looked for among all of its account',
    edits: [
      {
        file: settleTask,
        find: 't.account_id IS NOT DISTINCT FROM i.account',
        replace: 't.account_id = i.account',
      },
    ],
    hunters: ['packages/shared/test/db/plans.test.ts'],
  },
  {
    name: 'cancel-before-adoption',
    defect: 'a canceled task ends although a dead worker has left an image that nobody has adopted',
    edits: [
      {
        file: `${shared}/billing/cancel-task.ts`,
        find: 'if (task.hasOpenCall || task.mayHaveOrphans) {',
        replace: 'if (task.hasOpenCall) {',
      },
    ],
    hunters: ['apps/generation-worker/test/adopt.test.ts'],
  },
  {
    name: 'cancel-beside-calls',
    defect: 'a canceled task ends although a call has started since',
    edits: [
      {
        file: `${shared}/billing/cancel-task.ts`,
        find: 'if (task.hasOpenCall || task.mayHaveOrphans) {',
        replace: 'if (task.mayHaveOrphans) {',
      },
    ],
    hunters: ['apps/api/test/cancel.test.ts'],
  },
  {
    name: 'hold-kept',
    defect: 'a task that fails does not release its hold',
    edits: [
      {
        file: settleTask,
        find: 'held_micros = c.held_micros - s.hold',
        replace: 'held_micros = c.held_micros - CASE WHEN s.completed > 0 THEN s.hold ELSE 0 END',
      },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'charged-as-asked',
    defect: 'all asked images are charged, stored or not',
    edits: [
      {
        file: `${shared}/billing/settle-task.ts`,
        find: 'task.unitMicros * BigInt(storedCount)',
        replace: 'task.unitMicros * BigInt(task.numOutputs)',
      },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'webhook-before-settle',
    defect: 'the webhook is written by a statement of its own, before the task has ended',
    edits: [
      {
        file: `${shared}/billing/settle-task.ts`,
        find: '  const [outcome] = await saveOutcome(',
        replace: `  if (deliveryId !== null && webhookUrl !== null)
    await deps.db.run(
      {
        name: 'early-delivery',
        text: 'INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at) VALUES ($1, $2, $3, $4, $5, $6, now()) ON CONFLICT DO NOTHING',
      },
      [
        deliveryId, task.id, task.accountId, webhookUrl, getHostPort(new URL(webhookUrl)),
        JSON.stringify(presentWebhookEvent(presentTask(view, deps.fileUrl))),
      ],
    );
  const [outcome] = await saveOutcome(`,
      },
      {
        file: settleTask,
        find: 'WHERE t.webhook_url IS NOT NULL',
        replace: 'WHERE false',
      },
    ],
    hunters: ['simulation', 'worker-killed'],
  },
  {
    name: 'unique-key-dropped',
    defect: 'no unique index over idempotency keys',
    edits: [
      {
        file: 'prisma/migrations/20261126120000_release_0_3_0/migration.sql',
        find: 'CREATE UNIQUE INDEX tasks_idem_key ',
        replace: 'CREATE INDEX tasks_idem_key ',
      },
    ],
    hunters: ['simulation', 'one-key-for-all'],
  },
  {
    name: 'clock-of-the-worker',
    defect: "whether a lease has run out is decided by the worker's clock",
    edits: [
      {
        file: `${shared}/db/tasks/claims/claim-expired-tasks.ts`,
        find: ' AND lease_until < now()',
        replace: ' AND lease_until < $5::timestamptz',
      },
      {
        file: `${shared}/db/tasks/claims/claim-expired-tasks.ts`,
        find: '[workerId, leaseMs, maxTries, limit]',
        replace: '[workerId, leaseMs, maxTries, limit, new Date()]',
      },
    ],
    hunters: ['clocks-wrong'],
  },
  {
    name: 'output-without-the-lock',
    defect: "an image's row is written without touching the row of its task",
    edits: [
      {
        file: `${shared}/db/outputs/task-outputs.ts`,
        find: '  UPDATE tasks t SET stored_count = t.stored_count + 1 FROM input i\n',
        replace: '  SELECT t.id FROM tasks t, input i\n',
      },
      {
        file: `${shared}/db/outputs/task-outputs.ts`,
        find: 't.stored_count < t.num_outputs\n  RETURNING t.id)',
        replace: 't.stored_count < t.num_outputs)',
      },
    ],
    hunters: ['simulation', 'baseline'],
  },
  {
    name: 'lease-not-looked-at',
    defect: 'a running task is claimed although its lease still holds',
    edits: [
      {
        file: `${shared}/db/tasks/claims/claim-expired-tasks.ts`,
        find: ' AND lease_until < now()',
        replace: '',
      },
    ],
    hunters: ['orphan-recovery', 'redis-flushed', 'clocks-wrong'],
  },
  {
    name: 'orphan-not-checked',
    defect: 'nobody looks for images that a failed task has left',
    edits: [
      {
        file: settleTask,
        find: "WHERE t.status = 'failed' AND t.stored_count > 0\n      OR t.tidy_attempt < t.attempt - 1",
        replace: 'WHERE false',
      },
      {
        file: settleTask,
        find: 'OR t.tidy_attempt < t.attempt AND i.clean IS NOT TRUE AND',
        replace: 'AND',
      },
    ],
    hunters: ['operator-fails-tasks'],
  },
  {
    name: 'tries-without-end',
    defect: 'a task that has used up its tries is never ended',
    edits: [
      {
        file: `${shared}/db/tasks/claims/claim-tasks-to-end.ts`,
        find: 'tries + 1 >= $3::int',
        replace: 'tries + 1 >= $3::int + 99',
      },
    ],
    hunters: ['poison-task'],
  },
  {
    name: 'webhook-lease-for-ever',
    defect: 'a webhook whose sender died is never sent again',
    edits: [
      {
        file: `${shared}/db/webhook-deliveries/delivery-attempts.ts`,
        find: "state = 'sending' AND lease_until < now()",
        replace: "state = 'sending' AND lease_until < now() - interval '1 day'",
      },
    ],
    hunters: ['webhook-worker-killed'],
  },
];
