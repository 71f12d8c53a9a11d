import type { Mutant } from '../mutant.js';

const database = 'packages/shared/src/domain/db';
const migrations = `${database}/migrations/apply-migrations.ts`;
const migrationTests = ['packages/shared/test/db/migrations.test.ts'];
const stop = `${database}/migrations/refuse-previous-release.ts`;
const stopTests = ['packages/shared/test/db/stop.test.ts'];
const sessionTests = ['packages/shared/test/db/sessions.test.ts'];
const poolerTests = ['packages/shared/test/db/pgbouncer.test.ts'];

const takeBackup = 'apps/api/src/system/backup/take-backup.ts';
const restoreBackup = 'apps/api/src/system/backup/restore-backup.ts';
const compareObjects = 'packages/shared/src/domain/db/backups/compare-objects.ts';
const backupTests = 'apps/api/test/cli/backup.test.ts';

/** Defects in migrations, and in how the services of an operator are reached. */
export const serviceMutants: readonly Mutant[] = [
  {
    name: 'deadlock-ends-migration',
    defect: 'a migration that PostgreSQL ended in a deadlock is not applied again',
    edits: [{ file: migrations, find: "new Set(['40P01', ", replace: 'new Set([' }],
    hunters: migrationTests,
  },
  {
    name: 'migration-read-before-lock',
    defect: 'programs that migrate at a time do not wait for each other',
    edits: [
      { file: migrations, find: 'await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);', replace: '' },
    ],
    hunters: migrationTests,
  },
  {
    name: 'stop-not-kept',
    defect: 'an upgrade with a stop goes on while a process of the former release runs',
    edits: [{ file: stop, find: 'throw explainRunning(living);', replace: 'return;' }],
    hunters: stopTests,
  },
  {
    name: 'reports-not-heeded',
    defect: 'a worker of the former release whose sessions a pooler hides is not seen by its reports',
    edits: [{ file: stop, find: '  FROM worker_reports\n', replace: '  FROM worker_reports WHERE false\n' }],
    hunters: stopTests,
  },
  {
    name: 'session-without-version',
    defect: 'sessions of this release carry no version, so that an upgrade takes them for former ones',
    edits: [{ file: `${database}/name-session.ts`, find: '`${name}/${getVersion()}`', replace: 'name' }],
    hunters: stopTests,
  },
  {
    name: 'former-claim-goes-on',
    defect: 'a worker of the former release that starts after the upgrade claims tasks',
    edits: [
      {
        file: 'prisma/functions/transitional.sql',
        find: 'CREATE OR REPLACE FUNCTION clean_attempt(tasks) RETURNS integer LANGUAGE plpgsql AS $$\nBEGIN',
        replace:
          'CREATE OR REPLACE FUNCTION clean_attempt(tasks) RETURNS integer LANGUAGE plpgsql AS $$\nBEGIN RETURN 0;',
      },
    ],
    hunters: ['packages/shared/test/db/previous-release.test.ts'],
  },
  {
    name: 'former-submit-goes-on',
    defect: 'an API of the former release that starts after the upgrade accepts tasks',
    edits: [
      {
        file: 'prisma/migrations/20261128064000_stop/migration.sql',
        find: 'CHECK ("catalog_version" IS NULL OR "accepted_by" IS NOT NULL)',
        replace: 'CHECK (true)',
      },
    ],
    hunters: ['packages/shared/test/db/previous-release.test.ts'],
  },
  {
    name: 'time-of-marked-code-over',
    defect: 'code that this release was to drop is still there',
    edits: [
      { file: 'prisma/functions/transitional.sql', find: '-- @until 0.5.0 ', replace: '-- @until 0.4.0 ' },
    ],
    hunters: ['tests/integration/until.test.ts'],
  },
  {
    name: 'half-a-release-is-whole',
    defect: 'a database that lacks a migration of 0.3.0 is taken for one of 0.3.0',
    edits: [
      {
        file: migrations,
        find: 'replaces.every((one) => applied.has(one))',
        replace: 'replaces.some((one) => applied.has(one))',
      },
      { file: stop, find: 'if (lacking !== undefined) {', replace: 'if (false) {' },
    ],
    hunters: ['packages/shared/test/db/baseline.test.ts'],
  },
  {
    name: 'baseline-forgets-names',
    defect: 'a new database does not know the migrations that the baseline stands for',
    edits: [{ file: migrations, find: 'isThere ? [name] : [...replaces, name]', replace: '[name]' }],
    hunters: ['packages/shared/test/db/baseline.test.ts'],
  },
  {
    name: 'migration-under-role-timeout',
    defect: 'the statement timeout of the role ends a migration',
    edits: [{ file: migrations, find: 'SET LOCAL statement_timeout = 0; ', replace: '' }],
    hunters: migrationTests,
  },
  {
    name: 'half-way-migration-unseen',
    defect: 'a migration that a former release left half-way counts as applied',
    edits: [{ file: migrations, find: 'if (halfWay !== undefined)', replace: 'if (false)' }],
    hunters: migrationTests,
  },
  {
    name: 'session-judged-late',
    defect: 'statements run in a session whose times no driver reads',
    edits: [
      {
        file: `${database}/create-connection-pool.ts`,
        find: 'const fault = judgeClient(client);',
        replace: 'const fault = judgeClient(client) && null;',
      },
    ],
    hunters: sessionTests,
  },
  {
    name: 'session-setting-kept',
    defect: 'a role keeps a setting with which results are wrong',
    edits: [
      {
        file: `${database}/session-defaults.ts`,
        find: "AND substr(c, strpos(c, '=') + 1) ~* v.accepts)",
        replace: ')',
      },
    ],
    hunters: sessionTests,
  },
  {
    name: 'redis-writes-untried',
    defect: 'a Redis that takes no writes counts as one that does',
    edits: [
      {
        file: 'packages/shared/src/runtime/queues/refuse-cluster.ts',
        find: 'if (remediation === undefined) {',
        replace:
          'if (remediation !== undefined) {\n      return;\n    }\n    if (remediation === undefined) {',
      },
    ],
    hunters: ['apps/api/test/redis-writes.test.ts'],
  },
  {
    name: 'judged-by-old-state',
    defect: 'the first request after a quiet hour is judged by what was known before it',
    edits: [
      {
        file: 'packages/shared/src/runtime/concurrency/create-follower.ts',
        find: 'ageMs <= MAX_AGE_MS ||',
        replace: 'ageMs <= Number.MAX_VALUE ||',
      },
    ],
    hunters: [
      'packages/shared/src/runtime/concurrency/create-follower.test.ts',
      'apps/api/test/drawable-models.test.ts',
    ],
  },
  {
    name: 'any-encoding',
    defect: 'a database is taken whose encoding lacks characters',
    edits: [
      {
        file: `${database}/session-defaults.ts`,
        find: 'encoding === UTF8 ||',
        replace: "encoding !== '' ||",
      },
    ],
    hunters: ['apps/api/test/database-encoding.test.ts'],
  },
  {
    name: 'unreadable-value-null',
    defect: 'a time that cannot be read counts as none',
    edits: [
      {
        file: `${database}/parse-value.ts`,
        find: 'throw new UnreadableValueError(text);',
        replace: 'return null;',
      },
    ],
    hunters: sessionTests,
  },
  {
    name: 'statement-not-ended-by-client',
    defect: 'a statement over its time goes on at the server where the role has no limit',
    edits: [{ file: `${database}/timed-client.ts`, find: 'socket.write(request);', replace: '' }],
    hunters: sessionTests,
  },
  {
    name: 'canceled-connection-used-again',
    defect: 'a late cancellation may end the statement of another caller',
    edits: [{ file: `${database}/timed-client.ts`, find: 'canceled.add(this);', replace: '' }],
    hunters: sessionTests,
  },
  {
    name: 'prepared-behind-pooler',
    defect: 'statements stay prepared although the pooler gives each one another session',
    edits: [{ file: `${database}/prepared-statements.ts`, find: "['26000', '42P05']", replace: '[]' }],
    hunters: poolerTests,
  },
  {
    name: 'prepared-under-bare-name',
    defect: 'a session shared by two releases runs the text of the other one',
    edits: [
      {
        file: `${database}/prepared-statements.ts`,
        find: 'const made = `${name.slice(0, MAX_NAME)}-${hash}`;',
        replace: 'const made = `${name.slice(0, MAX_NAME + hash.length * 0)}`;',
      },
    ],
    hunters: ['packages/shared/src/domain/db/prepared-statements.test.ts'],
  },
  {
    name: 'settings-in-startup-packet',
    defect: 'a pooler refuses the settings in the startup packet',
    edits: [
      {
        file: `${database}/create-database.ts`,
        find: '    keepAlive: true,\n    Client:',
        replace: '    keepAlive: true,\n    statement_timeout: 5_000,\n    Client:',
      },
    ],
    hunters: poolerTests,
  },
  {
    name: 'redis-cluster-accepted',
    defect: 'a Redis Cluster is not recognised, and every queue call fails behind green lights',
    edits: [
      {
        file: 'packages/shared/src/runtime/queues/refuse-cluster.ts',
        find: 'if (/^cluster_enabled:1/m.test(info))',
        replace: 'if (false)',
      },
    ],
    hunters: ['apps/api/test/redis-cluster.test.ts'],
  },
  {
    name: 'unconditional-puts-accepted',
    defect: 'a worker starts on a store where a late worker can replace a delivered image',
    edits: [
      {
        file: 'packages/shared/src/runtime/storage/refuse-unconditional-puts.ts',
        find: "if (outcome === 'ignored')",
        replace: 'if (false)',
      },
    ],
    hunters: ['packages/shared/test/storage/unconditional-puts.test.ts'],
  },
  {
    name: 'early-answer-ends-put',
    defect:
      'a put ends when the store answers, although the connection still reads the image, whose memory is freed',
    edits: [
      {
        file: 'packages/shared/src/runtime/storage/put-object.ts',
        find: 'if (seen.request?.writableFinished === false)',
        replace: 'if (false)',
      },
    ],
    hunters: ['packages/shared/test/storage/early-answers.test.ts'],
  },
  {
    name: 'refused-put-read-on',
    defect: 'the connection of a put that was refused early goes on reading the image, whose memory is freed',
    edits: [
      {
        file: 'packages/shared/src/runtime/storage/create-caller.ts',
        find: ' || request?.writableFinished !== true',
        replace: '',
      },
    ],
    hunters: ['packages/shared/test/storage/early-answers.test.ts'],
  },
  {
    name: 'full-disk-is-ready',
    defect: 'a database whose disk is full counts as ready',
    edits: [
      {
        file: `${database}/create-database.ts`,
        find: 'if (performance.now() < fullUntil) {',
        replace: 'if (fullUntil < 0) {',
      },
    ],
    hunters: ['packages/shared/test/db/trouble.test.ts'],
  },
  {
    name: 'backup-named-early',
    defect: 'a backup has its name before everything is in it',
    edits: [
      { file: takeBackup, find: 'const partial = `${target}.partial`;', replace: 'const partial = target;' },
    ],
    hunters: [backupTests],
    red: 'a backup that is killed in the middle leaves nothing that looks like a whole one',
  },
  {
    name: 'check-keeps-scratch',
    defect: 'a check of a backup leaves its scratch database behind when it is stopped',
    edits: [
      {
        file: restoreBackup,
        find: 'await scratch.drop();',
        replace: 'signal.aborted || (await scratch.drop());',
      },
    ],
    hunters: [backupTests],
    red: 'a check that is stopped drops its scratch database',
  },
  {
    name: 'backup-lost-image-unseen',
    defect: 'a check of a backup passes though the object store lacks an image',
    edits: [{ file: compareObjects, find: 'FILTER (WHERE stored IS NULL)', replace: 'FILTER (WHERE false)' }],
    hunters: [backupTests],
    red: 'a backup takes a dump that was made elsewhere, and a restored database is compared with its listing and the store',
  },
];
