import type { Mutant } from '../mutant.js';

const run = 'apps/generation-worker/src/checks/run-check.ts';
const statements = 'packages/shared/src/domain/db/provider-checks/provider-checks.ts';
const free = 'packages/shared/src/domain/upstream-checks/check-upstream.ts';
const workerTests = 'apps/generation-worker/test/provider-checks.test.ts';
const commandTests = 'apps/api/test/cli/provider-check.test.ts';

/** Defects in checks of providers. */
export const checkMutants: readonly Mutant[] = [
  {
    name: 'check-elsewhere',
    defect: 'a worker sends the key that it tries to another address than the one that it was set for',
    edits: [{ file: run, find: 'place?.hostPort !== check.hostPort ||', replace: '' }],
    hunters: [workerTests],
  },
  {
    name: 'check-of-the-dead',
    defect: 'no worker goes on with the check of a killed one',
    edits: [{ file: statements, find: " OR c.state = 'running' AND c.lease_until < now()", replace: '' }],
    hunters: [workerTests],
  },
  {
    name: 'check-draws-again',
    defect: 'an image whose process was killed is drawn, and paid for, once more',
    edits: [
      {
        file: 'apps/generation-worker/src/checks/draw-trial.ts',
        find: 'if (check.hasDrawn) {',
        replace: 'if (false) {',
      },
    ],
    hunters: [workerTests],
  },
  {
    name: 'check-over-ceiling',
    defect: 'trial images are drawn at paused providers and above the ceiling',
    edits: [{ file: statements, find: ' AND NOT EXISTS (SELECT FROM refused)', replace: '' }],
    hunters: [workerTests],
  },
  {
    name: 'check-costs-nothing',
    defect: 'trial images do not count for the ceiling of the day',
    edits: [
      {
        file: 'prisma/functions/provider_limits.sql',
        find: 'k.cost_micros > 0 AND',
        replace: 'false AND',
      },
    ],
    hunters: [commandTests],
  },
  {
    name: 'check-forbids-forbidden',
    defect: 'a key that may not list models counts as refused',
    edits: [{ file: free, find: 'status === 401 ||', replace: 'status === 401 || status === 403 ||' }],
    hunters: [commandTests],
  },
  {
    name: 'check-tells-key',
    defect: 'a provider that repeats the key in its answer shows it to whoever reads the check',
    edits: [
      {
        file: 'packages/shared/src/domain/upstream-checks/read-reason.ts',
        find: "secret === null ? found : found.replaceAll(secret, '…')",
        replace: 'found',
      },
    ],
    hunters: [commandTests],
  },
  {
    name: 'draft-replaces-model',
    defect: 'the form for a new model replaces one of the same name',
    edits: [
      {
        file: 'packages/shared/src/domain/catalog/document/edit-document.ts',
        find: "if (document.hasIn(['models', id]) || Object.hasOwn(BUILT_IN_DOCUMENT.models, id)) {",
        replace: "if (id === '') {",
      },
    ],
    hunters: ['packages/shared/src/domain/catalog/document/edit-document.test.ts'],
  },
  {
    name: 'page-keeps-refused-key',
    defect: 'the page keeps a key that the provider refuses',
    edits: [
      {
        file: 'apps/api/src/provider/keep-provider-keys.ts',
        find: 'if (refused) {',
        replace: 'if (refused && false) {',
      },
    ],
    hunters: ['apps/api/test/dashboard/managed-providers.test.ts'],
  },
  {
    name: 'page-without-password',
    defect: 'who finds an open browser changes keys of providers without the password',
    edits: [
      {
        file: 'apps/api/src/http/session/require-password.ts',
        find: 'if (!(await auth.isPassword(user.email, given))) {',
        replace: 'if (given === null) {',
      },
    ],
    hunters: [
      'apps/api/test/dashboard/managed-providers.test.ts',
      'apps/api/test/dashboard/operator-people.test.ts',
    ],
  },
  {
    name: 'last-operator-goes',
    defect: 'operators who remove each other leave a gateway without one',
    edits: [
      {
        file: 'apps/api/src/user/operators.ts',
        find: 'AND (SELECT count(*) FROM operators) > 1',
        replace: 'AND (SELECT count(*) FROM operators) > 0',
      },
    ],
    hunters: ['apps/api/test/dashboard/operator-people.test.ts'],
  },
  {
    name: 'email-link-outlives-password',
    defect: 'a stranger who knew the password moves the log-in after its owner set a new one',
    edits: [
      {
        file: 'apps/api/src/user/change-email.ts',
        find: 'AND a.password = $9',
        replace: 'AND $9::text IS NOT NULL',
      },
    ],
    hunters: ['apps/api/test/dashboard/new-address.test.ts'],
  },
  {
    name: 'page-trusts-own-address',
    defect: 'a key is kept for the address of the API, not for the one that the workers call',
    edits: [
      {
        file: 'apps/api/src/provider/keep-provider-keys.ts',
        find: 'hostPort: hostPort ?? place.hostPort',
        replace: 'hostPort: place.hostPort',
      },
    ],
    hunters: ['apps/api/test/dashboard/managed-providers.test.ts'],
  },
  {
    name: 'check-keeps-keys',
    defect: 'keys that were tried stay in the row of their trial',
    edits: [
      {
        file: statements,
        find: `cost_micros = COALESCE($4::int8, cost_micros),
       seal_nonce = NULL, sealed = NULL`,
        replace: 'cost_micros = COALESCE($4::int8, cost_micros)',
      },
      {
        file: 'prisma/migrations/20261126120000_release_0_3_0/migration.sql',
        find: "    CONSTRAINT provider_checks_keys CHECK (((sealed IS NULL) OR (state <> 'done'::text))),\n",
        replace: '',
      },
    ],
    hunters: [workerTests],
  },
  {
    name: 'key-file-in-pieces',
    defect: 'the JSON file of a service account is split at its commas',
    edits: [
      {
        file: 'packages/shared/src/domain/upstreams/split-keys.ts',
        find: 'readKeyFile(text) !== null && ',
        replace: 'false && ',
      },
    ],
    hunters: ['packages/shared/src/domain/upstreams/split-keys.test.ts'],
  },
  {
    name: 'damaged-key-file-is-sent',
    defect: 'a key file of Vertex AI whose JSON cannot be read is sent whole as an API key',
    edits: [
      {
        file: 'packages/shared/src/domain/upstreams/vertex.ts',
        find: '  if (text === null) {\n    return null;\n  }\n',
        replace: '  if (text === null || parseObject(text) === null) {\n    return null;\n  }\n',
      },
    ],
    hunters: ['packages/shared/src/domain/upstreams/find-key-fault.test.ts'],
  },
];
