import type { Mutant } from '../mutant.js';

const shared = 'packages/shared/src/domain';
const insertTasks = `${shared}/billing/insert-tasks.sql`;
const judgeSubmit = `${shared}/billing/judge-submit.sql`;
const endedTasks = 'prisma/functions/tasks.sql';
const keySpend = 'prisma/functions/key_spend.sql';
/** Parameters of the functions that sum up what counts for caps. */
const CAP_SUMS =
  'account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8';
const keyCaps = 'packages/shared/test/billing/key-caps.test.ts';
const webhookLimits = 'packages/shared/test/billing/webhook-limits.test.ts';

/** Defects in the limits that keep one account or stranger from harming others. */
export const limitMutants: readonly Mutant[] = [
  {
    name: 'account-in-two-statements',
    defect: 'two statements of one process want the same account at a time',
    edits: [
      {
        file: 'packages/shared/src/domain/db/batch-statements.ts',
        find: 'getGroup: ({ account }) => account,',
        replace: '',
      },
    ],
    hunters: ['packages/shared/src/domain/db/batch-statements.test.ts'],
  },
  {
    name: 'deliveries-beyond-limit',
    defect: 'an account may have one webhook more than MAX_PENDING_DELIVERIES',
    edits: [{ file: judgeSubmit, find: 's.pending_deliveries, 1::', replace: 's.pending_deliveries, 0::' }],
    hunters: [webhookLimits],
  },
  {
    name: 'hosts-beyond-limit',
    defect: 'webhooks of an account may wait for one host more than MAX_PENDING_HOSTS',
    edits: [{ file: judgeSubmit, find: 's.pending_hosts::int8, 1', replace: 's.pending_hosts::int8, 0' }],
    hunters: [webhookLimits],
  },
  {
    name: 'caps-of-earlier-snapshot',
    defect: 'a submit that waits for its account does not see what the key has spent meanwhile',
    edits: [
      ...['sum_single_key_spend', 'sum_key_spend'].map((name) => ({
        file: keySpend,
        find: `${name}(\n  ${CAP_SUMS}\n)\nLANGUAGE plpgsql VOLATILE AS`,
        replace: `${name}(\n  ${CAP_SUMS}\n)\nLANGUAGE plpgsql STABLE AS`,
      })),
    ],
    hunters: [keyCaps],
  },
  {
    name: 'late-end-not-carried',
    defect: 'a task that ends after the midnight of its submit frees nothing of the caps of month and total',
    edits: [{ file: keySpend, find: 'WHEN (NOT NEW.is_newest AND', replace: 'WHEN (false AND' }],
    hunters: [keyCaps],
  },
  {
    name: 'cap-outside-statement',
    defect: 'requests of one statement are compared with the cap of their key one by one',
    edits: [
      {
        file: insertTasks,
        find: 'AND key_total <= COALESCE(',
        replace: 'AND hold <= COALESCE(',
      },
    ],
    hunters: [keyCaps],
  },
  {
    name: 'export-without-refunds',
    defect: 'files of usage leave refunds out',
    edits: [
      {
        file: 'apps/api/src/usage/list-charges.ts',
        find: "l.kind IN ('capture', 'refund')",
        replace: "l.kind = 'capture'",
      },
    ],
    hunters: ['apps/api/test/usage-export.test.ts'],
  },
  {
    name: 'host-rate-unlimited',
    defect: 'a host is asked for any number of input images a minute',
    edits: [
      {
        file: 'apps/generation-worker/src/inputs/create-host-limits.ts',
        find: 'limit: Math.ceil(bounds.perMinute / 2)',
        replace: 'limit: bounds.perMinute * 99',
      },
      {
        file: 'apps/generation-worker/src/inputs/create-host-limits.ts',
        find: 'limit: bounds.perMinute }',
        replace: 'limit: bounds.perMinute * 99 }',
      },
    ],
    hunters: ['apps/generation-worker/test/host-limits.test.ts'],
  },
  {
    name: 'device-cookie-ignored',
    defect: 'a browser in which the user has logged in shares the limits of strangers',
    edits: [
      {
        file: 'apps/api/src/user/auth/sign-in-limits.ts',
        find: "if (device) {\n    return [{ policy: 'sign-in-device'",
        replace: "if (device?.id === '') {\n    return [{ policy: 'sign-in-device'",
      },
    ],
    hunters: ['apps/api/test/dashboard/guessing.test.ts'],
  },
  {
    name: 'key-expiry-by-our-clock',
    defect: 'the clock of the API decides whether a key has expired',
    edits: [
      {
        file: `${shared}/db/api-keys/find-api-key.ts`,
        find: 'k.expires_at - now()',
        replace: 'k.expires_at',
      },
      {
        file: `${shared}/db/api-keys/find-api-key.ts`,
        find: 'new Date(Date.now() + expiresInMs)',
        replace: 'new Date(expiresInMs)',
      },
    ],
    hunters: ['packages/shared/test/db/find-api-key.test.ts'],
  },
  {
    name: 'failed-tasks-miscounted',
    defect: 'of failed tasks that end in one statement a single one is counted for MAX_FAILED_TASKS',
    edits: [
      {
        file: endedTasks,
        find: 'COALESCE(k.total, 0) + e.tasks',
        replace: 'COALESCE(k.total, 0) + LEAST(e.tasks, 1)',
      },
    ],
    hunters: ['simulation', 'packages/shared/test/billing/failed-tasks.test.ts'],
  },
  {
    name: 'address-as-written',
    defect: 'a proxy that writes ports behind addresses gives each connection a limit of its own',
    edits: [
      {
        file: 'apps/api/src/http/log-requests.ts',
        find: 'address: toClientAddress(request.ip)',
        replace: "address: request.ip ?? ''",
      },
    ],
    hunters: ['apps/api/test/limits.test.ts'],
  },
  {
    name: 'networks-compare-written-address',
    defect: 'a proxy of a list that has a port behind its address is taken for the client',
    edits: [
      {
        file: 'apps/api/src/trust-proxy.ts',
        find: 'isTrusted(toClientAddress(address), hop)',
        replace: 'isTrusted(address, hop)',
      },
    ],
    hunters: ['apps/api/test/limits.test.ts'],
  },
  {
    name: 'any-text-as-id',
    defect: 'a text that can be no id reaches the database from a path of the dashboard',
    edits: [
      {
        file: 'apps/api/src/http/session/guard-route.ts',
        find: 'if (!Object.values(params).every(isAnyId)) {',
        replace: 'if (Object.keys(params).length > 9) {',
      },
    ],
    hunters: ['apps/api/test/dashboard/texts.test.ts'],
  },
  {
    name: 'bounds-beyond-calendar',
    defect: 'the end of the last day of the calendar is written as the database cannot read it',
    edits: [
      {
        file: 'packages/shared/src/domain/db/to-timestamp.ts',
        find: 'if (time.getTime() > LAST) {',
        replace: 'if (time.getTime() > LAST + 86_400_000) {',
      },
    ],
    hunters: ['apps/api/test/times.test.ts'],
  },
  {
    name: 'owners-entries-for-ever',
    defect: 'changes by owners stay in the audit log for ever',
    edits: [
      {
        file: 'apps/generation-worker/src/sweeps/delete-old-details.ts',
        find: '  deleteOwnersAudit,\n  deleteEndedKeys,',
        replace: '  deleteEndedKeys,',
      },
    ],
    hunters: ['apps/generation-worker/test/old-access.test.ts'],
  },
  {
    name: 'application-role-may-all',
    defect: 'the role of the processes may empty tables',
    edits: [
      {
        file: 'prisma/application-role.sql',
        find: 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES',
        replace: 'GRANT ALL ON ALL TABLES',
      },
    ],
    hunters: ['apps/api/test/application-role.test.ts'],
  },
  {
    name: 'doctor-sees-no-overdue-work',
    defect: 'doctor does not notice work that nobody takes',
    edits: [
      {
        file: 'apps/api/src/system/find-overdue-work.ts',
        find: "due_at < now() - interval '15 seconds'",
        replace: "due_at < now() - interval '15 days'",
      },
    ],
    hunters: ['apps/api/test/cli/doctor.test.ts'],
  },
  {
    name: 'body-before-limits',
    defect: 'a body is read before limits, origin and session are judged',
    edits: [
      {
        file: 'apps/api/src/http/session/guard-route.ts',
        find: '    await limit(deps, call);',
        replace:
          '    await call.readJson({ isKnown: true }).catch(() => undefined);\n    await limit(deps, call);',
      },
    ],
    hunters: ['apps/api/test/bodies.test.ts'],
  },
  {
    name: 'brackets-unbounded',
    defect: 'nested brackets are parsed, however deep',
    edits: [
      {
        file: 'apps/api/src/http/framework/check-json-shape.ts',
        find: 'if (commas.length > depth) {',
        replace: 'if (commas.length > 1e9) {',
      },
    ],
    hunters: ['apps/api/src/http/framework/check-json-shape.test.ts'],
  },
  {
    name: 'decoded-body-unbounded',
    defect: 'only the compressed bytes of a body are counted',
    edits: [
      {
        file: 'apps/api/src/http/framework/json-body.ts',
        find: '    limit,\n    strict: false,',
        replace: '    limit: 1e9,\n    strict: false,',
      },
    ],
    hunters: ['apps/api/test/envelope.test.ts'],
  },
  {
    name: 'compressed-brackets-unbounded',
    defect: 'nested brackets in a compressed body are parsed, however deep',
    edits: [
      {
        file: 'apps/api/src/http/framework/json-body.ts',
        find: '      checkShape(body);\n',
        replace: '',
      },
    ],
    hunters: ['apps/api/test/bodies.test.ts'],
  },
  {
    name: 'bodies-without-budget',
    defect: 'bodies under way take any amount of memory',
    edits: [
      {
        file: 'apps/api/src/http/framework/json-body.ts',
        find: 'count: getLength(request, maxBytes) };',
        replace: 'count: getLength(request, maxBytes) > 0 ? 1 : 1 };',
      },
    ],
    hunters: ['apps/api/src/http/framework/json-body.test.ts'],
  },
  {
    name: 'first-reads-at-once',
    defect: 'any number of new connections is read at once, each with the first 64 KiB of its body',
    edits: [
      {
        file: 'apps/api/src/http/connections/read-in-turn.ts',
        find: 'undecided < most;',
        replace: 'undecided < 1e9;',
      },
    ],
    hunters: ['apps/api/src/http/connections/read-in-turn.test.ts'],
  },
  {
    name: 'first-reads-in-order-of-arrival',
    defect: 'new connections of one address go before those of all others',
    edits: [
      {
        file: 'apps/api/src/http/connections/connection.ts',
        find: 'const key = toAddressKey(address);',
        replace: "const key = toAddressKey(address) && '';",
      },
    ],
    hunters: ['apps/api/src/http/connections/read-in-turn.test.ts'],
  },
  {
    name: 'small-bodies-unwatched',
    defect: 'a small body that stops before its end keeps its connection for ever',
    edits: [
      {
        file: 'apps/api/src/http/limit-bodies.ts',
        find: 'if (!request.complete && !request.socket.destroyed) {',
        replace: 'if (!request.complete && request.socket.destroyed) {',
      },
    ],
    hunters: ['apps/api/src/http/limit-bodies.test.ts'],
  },
  {
    name: 'strangers-unbounded',
    defect: 'any number of connections may have a body under way before a key is known',
    edits: [
      {
        file: 'apps/api/src/http/framework/unknown-clients.ts',
        find: '(counts.get(address) ?? 0) >= perAddress',
        replace: '(counts.get(address) ?? 0) >= 1e9',
      },
    ],
    hunters: ['apps/api/test/bodies.test.ts'],
  },
  {
    name: 'strangers-of-all-unbounded',
    defect: 'strangers of many addresses may together have any number of bodies under way',
    edits: [
      {
        file: 'apps/api/src/http/framework/unknown-clients.ts',
        find: 'entries.size >= total',
        replace: 'entries.size >= total * 1e6',
      },
    ],
    hunters: ['apps/api/src/http/framework/unknown-clients.test.ts'],
  },
  {
    name: 'connections-beyond-descriptors',
    defect: 'idle connections take all descriptors of a process',
    edits: [
      {
        file: 'apps/api/src/http/create-server.ts',
        find: 'if (descriptors !== null) {',
        replace: 'if (descriptors === 0) {',
      },
    ],
    hunters: ['apps/api/test/process.test.ts'],
  },
  {
    name: 'misspelt-limit-dropped',
    defect: "the dashboard's API drops a field that it does not have, such as a misspelt cap of a key",
    edits: [
      {
        file: 'apps/api/src/http/define-route.ts',
        find: "roles.length === 0 ? 'dropped' : 'refused'",
        replace: "roles.length === 0 ? 'dropped' : 'dropped'",
      },
    ],
    hunters: ['apps/api/test/dashboard/keys.test.ts'],
  },
];
