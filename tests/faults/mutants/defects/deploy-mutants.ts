import type { Mutant } from '../mutant.js';

/** Defects in the files that operators deploy, in the metrics that these read, and in the life of data. */
export const deployMutants: readonly Mutant[] = [
  {
    name: 'alert-on-missing-metric',
    defect: 'an alert is about a metric that no process exports',
    edits: [
      {
        file: 'deploy/prometheus/alerts.yaml',
        find: 'max(gateway_oldest_due_seconds) > 120',
        replace: 'max(gateway_oldest_due_secs) > 120',
      },
    ],
    hunters: ['tests/integration/deploy.test.ts'],
  },
  {
    name: 'first-refusal-unseen',
    defect: 'the first refusal of a provider raises no alert, since a new series is no increase',
    edits: [
      {
        file: 'deploy/prometheus/alerts.yaml',
        find: 'gateway_provider_alerts_total unless',
        replace: 'gateway_provider_alerts_total offset 30m unless',
      },
    ],
    hunters: ['alert-provider-refuses'],
  },
  {
    name: 'server-errors-unseen',
    defect: 'the alert about server errors asks for a status that no answer has',
    edits: [
      {
        file: 'deploy/prometheus/alerts.yaml',
        find: 'sum(rate(gateway_http_requests_total{status=~"5.."}[5m])) / sum(',
        replace: 'sum(rate(gateway_http_requests_total{status="5.."}[5m])) / sum(',
      },
    ],
    hunters: ['alert-postgres-away'],
  },
  {
    name: 'alert-without-patience',
    defect: 'an alert wakes somebody whenever a process is restarted',
    edits: [
      {
        file: 'deploy/prometheus/alerts.yaml',
        find: 'expr: up{job="image-gateway"} == 0\n        for: 2m',
        replace: 'expr: up{job="image-gateway"} == 0\n        for: 0s',
      },
    ],
    hunters: ['alert-event-loop'],
  },
  {
    name: 'old-column-dropped-too-early',
    defect: 'a migration drops a column that the previous release still writes',
    edits: [
      {
        file: 'prisma/migrations/20261128065000_link_mails/migration.sql',
        find: '-- CreateTable\nCREATE TABLE "link_mails" (',
        replace: 'ALTER TABLE "tasks" DROP COLUMN "worker_id";\nCREATE TABLE "link_mails" (',
      },
    ],
    hunters: ['tests/integration/migrations.test.ts'],
  },
  {
    name: 'due-tasks-of-workers-only',
    defect: 'the API does not count due work, so no alert comes when every worker is gone',
    edits: [
      {
        file: 'apps/api/src/task/watch-due-work.ts',
        find: 'metrics.dueTasks.set(tasks);',
        replace: '',
      },
    ],
    hunters: ['apps/api/test/due-work.test.ts'],
  },
  {
    name: 'sessions-without-writes-stay',
    defect: 'a session that cannot write is used again after a failover',
    edits: [
      {
        file: 'packages/shared/src/domain/db/create-connection-pool.ts',
        find: '      expiredBefore = now;',
        replace: '',
      },
    ],
    hunters: ['packages/shared/test/db/expired-connections.test.ts'],
  },
  {
    name: 'read-only-errors-ignored',
    defect: 'a session of a demoted primary stays although its writes are refused',
    edits: [
      {
        file: 'packages/shared/src/domain/db/create-database.ts',
        find: 'if (isReadOnlyError(error)) {',
        replace: 'if (isReadOnlyError(error) && error === null) {',
      },
    ],
    hunters: ['packages/shared/test/db/expired-connections.test.ts'],
  },
  {
    name: 'ready-without-writes',
    defect: 'a database that takes no writes counts as ready',
    edits: [
      {
        file: 'packages/shared/src/domain/db/create-database.ts',
        find: 'if (!answer?.isReadOnly) {',
        replace: 'if (answer) {',
      },
    ],
    hunters: ['packages/shared/test/db/expired-connections.test.ts'],
  },
  {
    name: 'connections-for-ever',
    defect: 'connections have no longest life, so that they never follow an address that has moved',
    edits: [
      {
        file: 'packages/shared/src/domain/db/create-connection-pool.ts',
        find: '(endsAt.get(client) ?? 0) <= performance.now();',
        replace: 'false;',
      },
    ],
    hunters: ['packages/shared/test/db/expired-connections.test.ts'],
  },
  {
    name: 'dead-primary-kept',
    defect: 'a connection asks the Sentinels four times, and then stays with the primary that died',
    edits: [
      {
        file: 'packages/shared/src/runtime/queues/create-redis.ts',
        find: '  Math.min(50 * 2 ** (attempt - 1), MAX_RECONNECT_DELAY_MS) + Math.random() * 100;',
        replace: '  attempt > 4 ? 3_600_000 : Math.min(50 * 2 ** (attempt - 1), MAX_RECONNECT_DELAY_MS);',
      },
    ],
    hunters: ['packages/shared/test/queues/sentinel.test.ts'],
  },
  {
    name: 'details-of-pending-webhooks',
    defect: 'attempts of webhooks that have not ended are deleted too',
    edits: [
      {
        file: 'packages/shared/src/domain/db/webhook-deliveries/delivery-attempts.ts',
        find: " AND d.state IN ('delivered', 'failed')",
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/details.test.ts'],
  },
  {
    name: 'deletion-leaves-prompt',
    defect: 'the row of a deleted task keeps its prompt',
    edits: [
      {
        file: 'packages/shared/src/domain/db/tasks/erase-task.ts',
        find: "prompt = '', negative_prompt",
        replace: 'negative_prompt',
      },
      {
        file: 'prisma/migrations/20261126120000_release_0_3_0/migration.sql',
        find: "(prompt = ''::text) AND ",
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
        file: 'packages/shared/src/domain/db/orphan-checks/orphan-checks.ts',
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
        file: 'packages/shared/src/domain/db/tasks/task-row.ts',
        find: `"COALESCE(t.deleted_at, 'infinity') >= 'infinity'"`,
        replace: "'true'",
      },
    ],
    hunters: ['apps/api/test/delete-task.test.ts'],
  },
  {
    name: 'retention-ignores-account',
    defect: 'the retention of the setting beats that of an account',
    edits: [
      {
        file: 'packages/shared/src/domain/db/retention/retention-term.ts',
        find: "return `(t.completed_at + interval '1 day' * COALESCE(a.retention_days, ${setting}::float8))`;",
        replace:
          "return `(t.completed_at + interval '1 day' * COALESCE(${setting}::float8, a.retention_days))`;",
      },
    ],
    hunters: ['apps/api/test/retention.test.ts'],
  },
  {
    name: 'retention-without-turns',
    defect: 'all expired tasks of one account are erased before those of the next',
    edits: [
      {
        file: 'packages/shared/src/domain/db/retention/expired-tasks.ts',
        find: 'const BATCH_SIZE = 100;',
        replace: 'const BATCH_SIZE = 1_000_000;',
      },
    ],
    hunters: ['apps/api/test/retention.test.ts'],
  },
  {
    name: 'retention-passes-unfinished',
    defect: 'the mark of a retention passes a task whose time is not over, which is then kept for ever',
    edits: [
      {
        file: 'packages/shared/src/domain/db/retention/expired-tasks.ts',
        find: 'SELECT $1, created_at, id FROM due ORDER BY',
        replace: 'SELECT $1, created_at, id FROM old ORDER BY',
      },
    ],
    hunters: ['apps/api/test/retention.test.ts'],
  },
  {
    name: 'expired-image-served',
    defect: 'an image is served after its retention until a worker has erased its task',
    edits: [
      {
        file: 'packages/shared/src/domain/db/tasks/create-image-finder.ts',
        find: "\n   AND COALESCE(${keptUntil('$2')} > now(), true)",
        replace: '',
      },
    ],
    hunters: ['apps/api/test/retention.test.ts'],
  },
];
