import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { getVersion, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { createDatabase, type DatabaseFacts, listProviderKeys, withSnapshot } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createObjectStore, STORE_SETTINGS, toStoreSettings } from '@image-gateway/shared/storage';
import type { BackupScope } from './backup-scope.js';
import { saveDataFolder } from './copy-data-folder.js';
import { describeSettings } from './describe-settings.js';
import { type Listed, listObjects } from './list-objects.js';
import { FILES, hashFile, type Manifest, type SavedFile, writeChunks } from './manifest.js';
import { findPrograms, runProgram } from './postgres-programs.js';

/** Wishes for a backup. */
export interface BackupOptions {
  /** File with a dump of `pg_dump -Fc` that was made elsewhere, or `-` for standard input. */
  readonly dump: string | undefined;
  /** Lists objects by size alone, without reading them. */
  readonly isListedOnly: boolean;
}

type Part = Omit<Manifest, 'format' | 'version' | 'taken_at' | 'files' | 'keep_elsewhere'> & {
  readonly files: readonly SavedFile[];
  /** Names of the providers whose keys are in the database. */
  readonly storedKeys: readonly string[];
};

const PROGRESS_MS = 2_000;
const DUMP_BEGINS = 'PGDMP';

/**
 * Takes a backup into a new folder: a dump of the database and a listing of the bucket. A stopped gateway of `npm start`, whose
 * database has no `pg_dump`, is copied whole. The folder has its name only once everything is in it. Throws AppError.
 */
export async function takeBackup(
  context: BackupScope,
  folder: string,
  options: BackupOptions,
): Promise<Manifest> {
  const target = folder.replace(/\/+$/, '');
  const partial = `${target}.partial`;
  await refuseTaken(target, partial);
  try {
    const settings = describeSettings(context.env);
    const isFolder = options.dump === undefined && (await isStoppedStack(context));
    const part = isFolder ? await saveFolder(context, partial) : await saveDump(context, partial, options);
    const described = { ...settings, stored_keys_of_providers: part.storedKeys };
    const written = await writeChunks(join(partial, FILES.settings), toText(described));
    const { storedKeys, ...rest } = part;
    const manifest: Manifest = {
      format: 1,
      version: getVersion(),
      taken_at: new Date().toISOString(),
      ...rest,
      files: [...part.files, { path: FILES.settings, ...written }],
      keep_elsewhere: isFolder ? [] : settings.secrets,
    };
    context.signal.throwIfAborted();
    await writeChunks(join(partial, FILES.manifest), toText(manifest));
    await rename(partial, target);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw context.signal.aborted ? context.signal.reason : explainFile(error, target);
  }
}

async function* toText(value: unknown): AsyncGenerator<string> {
  yield `${JSON.stringify(value, null, 2)}\n`;
}

/** Makes the folder in which a backup grows. Throws AppError where there is one, whole or half. */
async function refuseTaken(target: string, partial: string): Promise<void> {
  if (await stat(target).catch(() => null)) {
    throw new AppError('BAD_REQUEST', { publicMessage: `${target} exists. Name a new folder.` });
  }
  try {
    await mkdir(partial, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new AppError('BAD_REQUEST', {
        publicMessage: `${partial} exists: another backup writes it, or one was cut. Where none runs, remove it: rm -r ${partial}`,
      });
    }
    throw explainFile(error, target);
  }
}

/** Puts errors of the file system into words. */
export function explainFile(error: unknown, target: string): unknown {
  const words: Readonly<Record<string, string>> = {
    ENOSPC: `There is no space left for ${target}. Free some, or choose another place.`,
    EDQUOT: `The quota of the disk of ${target} is used up. Free space, or choose another place.`,
    ENOENT: `The folder above ${target} does not exist. Create it first.`,
    EACCES: `${target} may not be written. Choose another place, or give this user the right.`,
    EROFS: `${target} is on a read-only disk. Choose another place.`,
  };
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const publicMessage = syscall === undefined ? undefined : words[code];
  return publicMessage === undefined ? error : new AppError('BAD_REQUEST', { publicMessage });
}

/** Returns whether the gateway is one of `npm start` with an embedded database that does not run. */
async function isStoppedStack({ env, dataDir, running }: BackupScope): Promise<boolean> {
  const isStack = (await stat(join(dataDir, 'secrets.json')).catch(() => null)) !== null;
  if (env.DATABASE_URL === undefined) {
    return isStack;
  }
  // A stack that was killed leaves the addresses of its services behind.
  const { pid, url } = running;
  return isStack && pid !== undefined && url === env.DATABASE_URL && !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function saveFolder(context: BackupScope, partial: string): Promise<Part> {
  context.report('Nothing runs on the data folder: it is copied whole.');
  let [files, copied] = [0, 0];
  async function* lines(): AsyncGenerator<string> {
    for await (const file of saveDataFolder(context, join(partial, FILES.folder))) {
      files += 1;
      copied += file.bytes;
      context.progress(() => `${files} files copied, ${toMegabytes(copied)}`);
      yield `${JSON.stringify(file)}\n`;
    }
  }
  const contents = await writeChunks(join(partial, FILES.contents), lines());
  return {
    kind: 'folder',
    database: null,
    objects: null,
    files: [{ path: FILES.contents, ...contents }],
    storedKeys: [],
  };
}

async function saveDump(context: BackupScope, partial: string, options: BackupOptions): Promise<Part> {
  const { env, signal } = context;
  const { dump, isListedOnly } = options;
  const settings = loadSettings(
    { DATABASE_URL: sharedSettings.DATABASE_URL, DIRECT_URL: sharedSettings.DIRECT_URL, ...STORE_SETTINGS },
    env,
  );
  const url = settings.DIRECT_URL ?? settings.DATABASE_URL;
  const file = join(partial, FILES.dump);
  const facts = await withSnapshot(url, async (snapshot, found) => {
    if (dump === undefined) {
      await dumpDatabase(context, { url, file, snapshot, major: found.major });
    } else {
      await writeChunks(file, readDump(dump, signal));
    }
    return found;
  });
  const dumped = await hashFile(file, () => signal.throwIfAborted());
  context.report(`The database is dumped (${toMegabytes(dumped.bytes)}). The bucket is next.`);
  // After the database: images are stored before their rows, so that the listing has all that the dump names.
  const store = createObjectStore(toStoreSettings(settings));
  const listed: Listed = { count: 0, bytes: 0 };
  async function* lines(): AsyncGenerator<string> {
    for await (const line of listObjects(store, { isRead: !isListedOnly, listed, signal })) {
      context.progress(() => `${listed.count} objects listed, ${toMegabytes(listed.bytes)}`);
      yield line;
    }
  }
  try {
    const objects = await writeChunks(join(partial, FILES.objects), lines());
    return {
      kind: 'dump',
      database: toDatabasePart(facts, dump === undefined),
      objects: { ...listed, checksums: !isListedOnly },
      files: [
        { path: FILES.dump, ...dumped },
        { path: FILES.objects, ...objects },
      ],
      storedKeys: await listStoredKeys(url),
    };
  } finally {
    store.close();
  }
}

const toDatabasePart = (
  { server, lastMigration, counts }: DatabaseFacts,
  isExact: boolean,
): Manifest['database'] => ({
  server,
  last_migration: lastMigration,
  counts,
  counts_are_exact: isExact,
});

async function listStoredKeys(url: string): Promise<string[]> {
  const db = createDatabase({ url, applicationName: 'image-gateway backup', max: 1 });
  try {
    return (await listProviderKeys(db)).map(({ name }) => name);
  } finally {
    await db.close();
  }
}

/** Dumps the database in the state of a snapshot. Throws AppError, with the way of a stopped gateway where there is one. */
async function dumpDatabase(
  context: BackupScope,
  { url, file, snapshot, major }: { url: string; file: string; snapshot: string; major: number },
): Promise<void> {
  const { env, running, report, signal } = context;
  const isEmbedded = running.url === env.DATABASE_URL;
  const programs = await findPrograms(
    env,
    major,
    isEmbedded
      ? 'Or stop the gateway and run it again: its folder is then copied whole.'
      : 'Or dump it where the program is, and give the dump with --dump FILE (docs/backups.md).',
  );
  report(`PostgreSQL is dumped by ${programs.dump}.`);
  const timer = setInterval(() => {
    stat(file).then(
      ({ size }) => report(`${toMegabytes(size)} dumped`),
      () => undefined,
    );
  }, PROGRESS_MS);
  try {
    const args = ['--format=custom', `--snapshot=${snapshot}`, `--file=${file}`];
    await runProgram({ program: programs.dump, url, args, env, signal });
  } finally {
    clearInterval(timer);
  }
}

/** Reads a dump that was made elsewhere. Throws AppError for anything else than one of the custom format. */
async function* readDump(source: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stream = addAbortSignal(signal, source === '-' ? process.stdin : createReadStream(source));
  let isFirst = true;
  for await (const chunk of stream) {
    const buffer = chunk as Buffer;
    if (isFirst && buffer.subarray(0, DUMP_BEGINS.length).toString('latin1') !== DUMP_BEGINS) {
      break;
    }
    isFirst = false;
    yield buffer;
  }
  if (isFirst) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: 'That is no dump: make one with pg_dump -Fc, and see whether it failed.',
    });
  }
}

/** Formats a number of bytes for a person. */
export const toMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
