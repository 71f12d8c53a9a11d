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
    hunters: [commandTests],
  },
  {
    name: 'check-costs-nothing',
    defect: 'trial images do not count for the ceiling of the day',
    edits: [
      {
        file: 'prisma/migrations/20261126110425_provider_checks/migration.sql',
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
    name: 'key-file-in-pieces',
    defect: 'the JSON file of a service account is split at its commas',
    edits: [
      {
        file: 'packages/shared/src/domain/upstreams/split-keys.ts',
        find: "text.trim().startsWith('{')",
        replace: 'false',
      },
    ],
    hunters: ['packages/shared/src/domain/upstreams/split-keys.test.ts'],
  },
];
