import type { Mutant } from '../mutant.js';

const shared = 'packages/shared/src/domain';
const insertTasks = `${shared}/billing/insert-tasks.sql`;
const settleTask = `${shared}/billing/settle-task.sql`;
const underLock = 'packages/shared/test/billing/counters-under-lock.test.ts';
const keySpend = 'prisma/functions/key_spend.sql';
const taskCounters = 'prisma/functions/tasks.sql';
const endpoints = 'prisma/functions/endpoints.sql';
const valueCapTests = 'packages/shared/test/billing/value-caps.test.ts';
const metadataTests = 'apps/api/test/metadata.test.ts';
const endpointTests = 'apps/webhook-worker/test/endpoints.test.ts';

/** Defects in metadata, in caps by value and in events. */
export const spendMutants: readonly Mutant[] = [
  {
    name: 'value-cap-outside-statement',
    defect: 'requests of one statement are compared with the cap of their value one by one',
    edits: [
      {
        file: insertTasks,
        find: 'AND value_total <= COALESCE(',
        replace: 'AND hold <= COALESCE(',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'cost-of-key-left-out',
    defect: 'a task that ends keeps what it holds in the counters of its key, and costs nothing there',
    edits: [
      {
        file: settleTask,
        find: 'UPDATE key_spend s\n     SET held_micros = s.held_micros - e.hold,\n         spent_micros = s.spent_micros + e.cost',
        replace: 'UPDATE key_spend s\n     SET held_micros = s.held_micros',
      },
    ],
    hunters: [underLock],
  },
  {
    name: 'webhooks-not-counted',
    defect: 'submits do not count the webhooks that they ask for',
    edits: [
      {
        file: insertTasks,
        find: 'webhook_count = c.webhook_count + t.webhooks',
        replace: 'webhook_count = c.webhook_count',
      },
    ],
    hunters: [underLock],
  },
  {
    name: 'value-cap-of-each-rotation',
    defect: 'requests of one statement with keys of one rotation count for the cap of a value apart',
    edits: [
      {
        file: `${shared}/billing/judge-submit.sql`,
        find: 'COALESCE(k.family, k.id) AS family',
        replace: 'k.id AS family',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'value-cap-of-earlier-snapshot',
    defect: 'a submit that waits for its account does not see what the value has spent meanwhile',
    edits: [
      {
        file: keySpend,
        find: 'RETURNS int8 LANGUAGE plpgsql VOLATILE AS',
        replace: 'RETURNS int8 LANGUAGE plpgsql STABLE AS',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'value-cap-of-all-days',
    defect: 'what a value spent yesterday counts for its cap of today',
    edits: [
      {
        file: keySpend,
        find: "s.value = of_value AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date",
        replace: 's.value = of_value',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'value-cap-keeps-holds',
    defect: 'a task that ends frees nothing of the cap of its value',
    edits: [
      {
        file: settleTask,
        find: 'UPDATE key_value_spend s\n     SET held_micros = s.held_micros - e.hold,',
        replace: 'UPDATE key_value_spend s\n     SET held_micros = s.held_micros,',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'value-left-out',
    defect: 'a request without the value that its key has a cap for is accepted',
    edits: [
      {
        file: `${shared}/billing/judge-submit.ts`,
        find: '  if (key === null) {',
        replace: '  if (key === null || !Object.hasOwn(metadata, key)) {',
      },
    ],
    hunters: [valueCapTests],
  },
  {
    name: 'metadata-outlives-erasure',
    defect: 'usage records and events keep the metadata of an erased task',
    edits: [
      {
        file: taskCounters,
        find: '    IF OLD.metadata IS NOT NULL THEN\n      NEW.metadata := NULL;\n      UPDATE usage_records u SET metadata = NULL WHERE u.task_id = NEW.id AND u.metadata IS NOT NULL;\n      UPDATE webhook_deliveries w SET erase_metadata = true WHERE w.task_id = NEW.id;\n      UPDATE endpoint_deliveries d SET erase_metadata = true WHERE d.task_id = NEW.id;\n    END IF;',
        replace: '    NEW.metadata := NULL;',
      },
    ],
    hunters: [metadataTests],
  },
  {
    name: 'metadata-in-order-of-request',
    defect: 'the order of metadata in a body makes it another request for its idempotency key',
    edits: [
      {
        file: `${shared}/task/fields.ts`,
        find: 'sortMetadata(value as Record<string, unknown>)',
        replace: '(value as Record<string, unknown>)',
      },
    ],
    hunters: [metadataTests],
  },
  {
    name: 'event-rewritten',
    defect: 'a second worker writes the body of an event anew, although the first one may have sent it',
    edits: [
      {
        file: `${shared}/db/endpoint-deliveries/endpoint-deliveries.ts`,
        find: 'SET body = COALESCE(d.body, w.body)',
        replace: 'SET body = w.body',
      },
    ],
    hunters: ['apps/api/test/event-bodies.test.ts'],
  },
  {
    name: 'low-balance-told-again',
    defect: 'each charge below the threshold is told',
    edits: [{ file: endpoints, find: ' AND e.threshold_micros <= OLD.balance_micros', replace: '' }],
    hunters: [endpointTests],
  },
  {
    name: 'cap-told-again',
    defect: 'each submit above 80 percent of a cap is told',
    edits: [
      {
        file: endpoints,
        find: 'SELECT u.key, u.cap, u.value, u.starts_on, p FROM used',
        replace: 'SELECT u.key, u.cap, uuid_send(gen_random_uuid()), u.starts_on, p FROM used',
      },
      { file: endpoints, find: ' AND u.value = r.value', replace: '' },
    ],
    hunters: [endpointTests],
  },
  {
    name: 'failing-told-each-time',
    defect: 'each failed attempt of an endpoint is told to the others',
    edits: [
      { file: endpoints, find: ' AND e.failing_told_on IS DISTINCT FROM today THEN', replace: ' THEN' },
    ],
    hunters: [endpointTests],
  },
  {
    name: 'dead-endpoint-for-ever',
    defect: 'an endpoint that has failed for three days is called for ever',
    edits: [
      {
        file: endpoints,
        find: "now() - interval '3 days' THEN",
        replace: "now() - interval '3000 days' THEN",
      },
    ],
    hunters: [endpointTests],
  },
  {
    name: 'events-without-bound',
    defect: 'any number of events waits for an endpoint',
    edits: [{ file: endpoints, find: 'OFFSET 10000 LIMIT 100', replace: 'OFFSET 1000000 LIMIT 100' }],
    hunters: [endpointTests],
  },
  {
    name: 'oldest-events-alone',
    defect: 'a backlog of one endpoint keeps the events of others from being found',
    edits: [
      {
        file: 'apps/webhook-worker/src/create-outbox.ts',
        find: 'if (oldest.length === MAX_EVENTS) {',
        replace: 'if (oldest.length > MAX_EVENTS) {',
      },
    ],
    hunters: [endpointTests],
  },
  {
    name: 'refund-without-value',
    defect: 'a refund lowers the spend of nobody',
    edits: [
      {
        file: `${shared}/db/usage/sum-usage.ts`,
        find: '0, -l.amount_micros, 0, u.metadata ->> $13::text',
        replace: '0, -l.amount_micros, 0, NULL::text',
      },
    ],
    hunters: [metadataTests, 'tests/acceptance/who-spent.test.ts'],
  },
];
