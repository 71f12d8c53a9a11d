import { AppError } from '@image-gateway/shared/errors';
import type { CliContext } from '../../cli/cli-context.js';
import { createProgressReporter } from '../../cli/create-progress-reporter.js';
import { defineCommand, fields, flag, option } from '../../cli/define-command.js';
import { renderFields, renderTable } from '../../cli/render.js';
import { findDataDir, readRunFile } from '../../cli/resolve-env.js';
import type { BackupScope } from '../backup/backup-scope.js';
import type { Manifest } from '../backup/manifest.js';
import type { BackupCheck } from '../backup/restore-backup.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Commands `backup` and `restore`. */
export const commands = {
  backup: defineCommand({
    about:
      'Write a backup into a new folder: a dump of PostgreSQL and a listing of the bucket, or the data folder of a stopped npm start. ' +
      'Images are copied with the object store',
    args: { folder: 'new folder' },
    options: {
      dump: option('<file>', 'a dump by pg_dump -Fc that was made elsewhere; - reads standard input'),
      sizesOnly: flag('list the objects of the bucket by size, without reading them for checksums'),
    },
    example: '/backups/2026-11-28',
    run: async (context, { folder, dump, sizesOnly: isListedOnly }) => {
      // The client of the object store takes longer to load than most commands take to run.
      const { takeBackup } = await import('../backup/take-backup.js');
      const manifest = await untilStopped(context, (scope) =>
        takeBackup(scope, folder, { dump, isListedOnly }),
      );
      return {
        value: { folder, ...manifest },
        text: `${renderFields(describeManifest(folder, manifest))}\n\n${describeRest(folder, manifest)}`,
      };
    },
  }),
  restore: defineCommand({
    about:
      'Restore a backup into an empty database or a new DATA_DIR; with --check only into a scratch one, which is looked at and removed',
    args: { folder: 'folder of a backup' },
    options: {
      check: flag(
        'restore for a look: checksums, invariants, and images in the object store; exit code 1 when something is wrong',
      ),
      database: option(
        '<url>',
        'database to restore into, in place of DIRECT_URL or a scratch one; with --check one that has tables is looked at as it is',
      ),
      read: flag('with --check also read each object and compare its checksum'),
    },
    example: '/backups/2026-11-28 --check',
    run: async (context, { folder, check, database, read: isRead }) => {
      const { checkBackup, restoreBackup } = await import('../backup/restore-backup.js');
      if (check) {
        return describeCheck(
          await untilStopped(context, (scope) => checkBackup(scope, folder, { database, isRead })),
        );
      }
      const { manifest, files, place } = await untilStopped(context, (scope) =>
        restoreBackup(scope, folder, { database }),
      );
      if (place === null) {
        return describeCheck({ manifest, files, restored: null, place: 'nowhere' });
      }
      const next =
        manifest.kind === 'folder'
          ? 'Start it with npm start.'
          : 'Before the first start: gateway migrate, the rights of the role (prisma/application-role.sql), gateway ledger check --rest, ' +
            'gateway doctor. It needs as they were: ' +
            `${manifest.keep_elsewhere.join(', ')}.`;
      return fields({ restored_to: place, taken_at: manifest.taken_at, release: manifest.version }, next);
    },
  }),
};

/** Runs work that ends in order at Ctrl-C. Throws AppError then. */
async function untilStopped<T>(
  { env, projectDir, reportProgress: report }: CliContext,
  work: (scope: BackupScope) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(
      new AppError('SERVICE_UNAVAILABLE', { publicMessage: 'Stopped. Nothing of it is left.' }),
    );
  for (const signal of SIGNALS) {
    process.on(signal, stop);
  }
  try {
    return await work({
      env,
      projectDir,
      dataDir: findDataDir(env, projectDir),
      running: readRunFile(env, projectDir).postgres ?? {},
      report,
      progress: createProgressReporter(report),
      signal: controller.signal,
    });
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stop);
    }
  }
}

const describeManifest = (folder: string, { kind, version, taken_at, database, objects }: Manifest) => ({
  folder,
  way:
    kind === 'folder' ? 'the data folder, copied whole' : 'a dump of PostgreSQL and a listing of the bucket',
  release: version,
  taken_at,
  ...(database && {
    postgresql: database.server,
    last_migration: database.last_migration,
    accounts: database.counts.accounts,
    tasks: database.counts.tasks,
  }),
  ...(objects && { objects: objects.count, bytes_of_objects: objects.bytes }),
});

function describeRest(folder: string, { kind, keep_elsewhere }: Manifest): string {
  const check = `Look at it with: restore ${folder} --check`;
  return kind === 'folder'
    ? `It holds all secrets of the gateway (data/secrets.json): keep it as safe as the gateway.\n${check}`
    : `Not in it, keep them elsewhere: the images (copy the bucket after this), and the values of ${keep_elsewhere.join(', ')}.\n` +
        `Without ENCRYPTION_KEY the stored keys of providers are lost, without AUTH_SECRET all sessions end.\n${check}`;
}

function describeCheck({ manifest, files, restored, place }: BackupCheck) {
  const faults = listFaults({ manifest, files, restored, place });
  const { objects = null, read = null } = restored ?? {};
  const message = faults.length === 1 ? 'There is 1 fault.' : `There are ${faults.length} faults.`;
  const shown = {
    looked_at: place,
    taken_at: manifest.taken_at,
    release: manifest.version,
    files: files.checked,
    ...(restored && {
      postgresql: restored.facts.server,
      last_migration: restored.facts.lastMigration,
      migrations_applied_for_the_look: restored.migrations.length,
      ...restored.facts.counts,
      invariants: restored.checked,
    }),
    ...(objects && {
      objects_listed: objects.listed,
      images: objects.images,
      objects_gone_since: objects.gone,
    }),
    ...(read && { objects_read: read.objects }),
  };
  const value = {
    kind: manifest.kind,
    ...shown,
    files,
    broken: restored?.broken ?? [],
    objects,
    read,
    faults,
  };
  const notes = [
    ...(restored && objects === null ? ['The object store was not looked at: S3_ENDPOINT is not set.'] : []),
    ...(restored?.broken ?? []).map(
      ({ name, rows, remediation }) => `${name}\n${renderTable(rows)}\n→ ${remediation}`,
    ),
    faults.length === 0 ? 'The backup can be restored.' : [message, ...faults].join('\n'),
  ];
  return {
    failed: faults.length > 0,
    value:
      faults.length === 0
        ? { ok: true, ...value }
        : {
            error: { code: 'INTERNAL_ERROR', message: `${message} ${faults.join(' ')}` },
            ok: false,
            ...value,
          },
    text: `${renderFields(shown)}\n\n${notes.join('\n\n')}`,
  };
}

/** Lists what is wrong with a backup, one sentence each. */
function listFaults({ files, restored }: BackupCheck): string[] {
  const { counts = {}, broken = [], objects = null, read = null, checked = 0 } = restored ?? {};
  const some = (keys: readonly string[] = []): string => keys.join(', ');
  const faults: readonly (readonly [boolean, string])[] = [
    [
      files.damaged > 0,
      `${files.damaged} of ${files.checked} files are missing or damaged: ${some(files.paths)}.`,
    ],
    ...Object.entries(counts).map(
      ([name, { expected, found }]) =>
        [true, `${name}: the backup counted ${expected}, and ${found} are restored.`] as const,
    ),
    [broken.length > 0, `${broken.length} of ${checked} invariants are broken.`],
    [
      (objects?.missing ?? 0) > 0,
      `${objects?.missing} of ${objects?.images} images are not in the object store: ${some(objects?.keys)}.`,
    ],
    [
      (objects?.differing ?? 0) > 0,
      `${objects?.differing} of ${objects?.images} images have another size in the object store: ${some(objects?.keys)}.`,
    ],
    [
      (objects?.unlisted ?? 0) > 0,
      `${objects?.unlisted} of ${objects?.images} images are not in the listing of the backup: ${some(objects?.keys)}.`,
    ],
    [
      (read?.differing ?? 0) > 0,
      `${read?.differing} of ${read?.objects} objects have other bytes than when they were listed: ${some(read?.keys)}.`,
    ],
  ];
  return faults.filter(([isThere]) => isThere).map(([, text]) => text);
}
