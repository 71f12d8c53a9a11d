import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import {
  createScratchDatabase,
  getSqlState,
  isEmptyDatabase,
  LAST_MIGRATION,
  readFacts,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { BackupScope } from './backup-scope.js';
import { checkRestored, type RestoredCheck } from './check-restored.js';
import { placeDataFolder, serveCopy } from './copy-data-folder.js';
import { FILES, type Manifest, readManifest } from './manifest.js';
import { findPrograms, runProgram } from './postgres-programs.js';
import { explainFile, toMegabytes } from './take-backup.js';
import { type VerifiedFiles, verifyFiles } from './verify-files.js';

/** Wishes for a restore. */
export interface RestoreOptions {
  /** Database to use in place of the one of the settings, or of a scratch database. */
  readonly database: string | undefined;
}

/** A backup with undamaged files, or what is damaged. */
interface VerifiedBackup {
  readonly manifest: Manifest;
  readonly files: VerifiedFiles;
}

/** Result of a check; `restored` is null where files are damaged, which ends it. */
export interface BackupCheck extends VerifiedBackup {
  readonly restored: RestoredCheck | null;
  /** Where it was looked at, such as a scratch database. */
  readonly place: string;
}

const SCRATCH = 'image_gateway_check_';

/**
 * Restores a backup where nothing else is, looks at everything in it, and removes what it made. A database of the options is looked at
 * as it is where it has tables, and filled where it has none; it stays. Throws AppError.
 */
export async function checkBackup(
  context: BackupScope,
  folder: string,
  options: RestoreOptions & { readonly isRead: boolean },
): Promise<BackupCheck> {
  const { manifest, files } = await verifyBackup(context, folder);
  if (files.damaged > 0) {
    return { manifest, files, restored: null, place: 'nowhere' };
  }
  const { signal } = context;
  const { isRead } = options;
  const look = (url: string, env: BackupScope['env'], isOwn: boolean): Promise<RestoredCheck> =>
    untilAborted(signal, checkRestored(context, { folder, manifest, url, env, isOwn, isRead }));
  if (manifest.kind === 'folder') {
    const scratch = await makeScratchFolder(folder);
    try {
      const copy = await serveCopy(context, resolve(folder, FILES.folder), scratch);
      try {
        const restored = await look(copy.env.DATABASE_URL ?? '', { ...context.env, ...copy.env }, true);
        return { manifest, files, restored, place: 'a copy of the folder on other ports' };
      } finally {
        await copy.stop();
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  const { database } = options;
  if (database !== undefined) {
    const isEmpty = await mayCreate(database, () => isEmptyDatabase(database));
    if (isEmpty) {
      await fillDatabase(context, { folder, url: database });
    }
    return {
      manifest,
      files,
      restored: await look(database, context.env, isEmpty),
      place: 'the database given',
    };
  }
  const owner = getOwnerUrl(context.env);
  const name = `${SCRATCH}${randomBytes(6).toString('hex')}`;
  const scratch = await mayCreate(owner, () => createScratchDatabase(owner, name));
  try {
    await fillDatabase(context, { folder, url: scratch.url });
    const restored = await look(scratch.url, context.env, true);
    return { manifest, files, restored, place: `the scratch database ${scratch.name}, which is gone` };
  } finally {
    await scratch.drop();
  }
}

/** Restores a backup into an empty database, or a data folder into `DATA_DIR`, and returns where. Throws AppError where something is. */
export async function restoreBackup(
  context: BackupScope,
  folder: string,
  options: RestoreOptions,
): Promise<VerifiedBackup & { readonly place: string | null }> {
  const { manifest, files } = await verifyBackup(context, folder);
  if (files.damaged > 0) {
    return { manifest, files, place: null };
  }
  const { database } = options;
  if (manifest.kind === 'folder') {
    await placeDataFolder(context, resolve(folder, FILES.folder));
    return { manifest, files, place: context.dataDir };
  }
  const url = database ?? getOwnerUrl(context.env);
  const { host, pathname } = new URL(url);
  const place = `${decodeURIComponent(pathname.slice(1))} on ${host}`;
  if (!(await mayCreate(url, () => isEmptyDatabase(url)))) {
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        `The database ${place} holds tables, and a restore replaces none. Name a new one in DATABASE_URL and DIRECT_URL, ` +
        'or look at the backup with --check.',
    });
  }
  await fillDatabase(context, { folder, url });
  return { manifest, files, place };
}

async function verifyBackup(context: BackupScope, folder: string): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder);
  const last = manifest.database?.last_migration ?? '';
  if (last > LAST_MIGRATION) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `${folder} is of release ${manifest.version}, and its database is newer than this release. Use that release.`,
    });
  }
  const { signal, progress } = context;
  let read = 0;
  const onBytes = (bytes: number): void => {
    signal.throwIfAborted();
    read += bytes;
    progress(() => `${toMegabytes(read)} of the backup compared with its checksums`);
  };
  return { manifest, files: await verifyFiles(folder, manifest, { onBytes }) };
}

function getOwnerUrl(env: BackupScope['env']): string {
  const { DATABASE_URL, DIRECT_URL } = loadSettings(
    { DATABASE_URL: sharedSettings.DATABASE_URL, DIRECT_URL: sharedSettings.DIRECT_URL },
    env,
  );
  return DIRECT_URL ?? DATABASE_URL;
}

/** Runs work that may create a database. Throws AppError with the right that the role lacks for it. */
async function mayCreate<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (getSqlState(error) !== '42501') {
      throw error;
    }
    const { username } = new URL(url);
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        `The role ${username} may not create a database. Let it (ALTER ROLE ${username} CREATEDB), or create an empty one as an ` +
        'administrator and name it with --database.',
    });
  }
}

/** Restores the dump of a backup into an empty database; one that fails leaves it empty. */
async function fillDatabase(
  { env, report, signal }: BackupScope,
  { folder, url }: { readonly folder: string; readonly url: string },
): Promise<void> {
  const { major } = await readFacts(url);
  const { restore } = await findPrograms(
    env,
    major,
    'Or restore it where pg_restore is, and name that database with --database (docs/backups.md).',
  );
  report(`PostgreSQL is restored by ${restore}.`);
  const args = ['--no-owner', '--no-privileges', '--single-transaction', join(folder, FILES.dump)];
  await runProgram({ program: restore, url, args, env, signal });
}

/** Makes a folder beside the backup, where its files can be linked, or else where temporary files are. */
async function makeScratchFolder(folder: string): Promise<string> {
  const beside = `${resolve(folder)}.check-`;
  try {
    return await mkdtemp(beside);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EROFS', 'EPERM'].includes(code)) {
      throw explainFile(error, beside);
    }
    return mkdtemp(join(tmpdir(), 'image-gateway-check-'));
  }
}

/** Resolves as the work does, or rejects when it is aborted: a statement that runs ends with its database. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolveWork, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) {
      abort();
    }
    work.then(resolveWork, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
