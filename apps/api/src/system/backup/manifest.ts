import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '@image-gateway/shared/errors';

/** File of a backup, with what its bytes must be. */
export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Object of the bucket as a backup lists it. */
export interface SavedObject {
  readonly key: string;
  readonly bytes: number;
  /** Hexadecimal; absent where objects were listed without being read. */
  readonly sha256?: string;
}

/** Description of a backup, which is written last: a folder without it is half a backup. */
export interface Manifest {
  readonly format: 1;
  /** `dump`: a dump of the database and a listing of the bucket. `folder`: the data folder of `npm start`. */
  readonly kind: 'dump' | 'folder';
  /** Release that wrote it. */
  readonly version: string;
  readonly taken_at: string;
  readonly database: {
    readonly server: string;
    readonly last_migration: string | null;
    readonly counts: Readonly<Record<string, number>>;
    /** False where the dump came from elsewhere, so that rows may have changed since. */
    readonly counts_are_exact: boolean;
  } | null;
  readonly objects: { readonly count: number; readonly bytes: number; readonly checksums: boolean } | null;
  readonly files: readonly SavedFile[];
  /** Names of the secrets that a restore needs and that are not in the backup. */
  readonly keep_elsewhere: readonly string[];
}

/** Names of the files of a backup. */
export const FILES = {
  manifest: 'manifest.json',
  dump: 'database.dump',
  objects: 'objects.jsonl',
  settings: 'settings.json',
  /** Listing of the files below `folder`. */
  contents: 'files.jsonl',
  folder: 'data',
} as const;

/** Reads the manifest of a backup. Throws AppError for what is none, or only half of one. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, FILES.manifest), 'utf8').catch(() => null);
  if (text === null) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: folder.replace(/\/+$/, '').endsWith('.partial')
        ? `${folder} is half a backup: the command that wrote it was cut. Remove it, and take another one.`
        : `${folder} is no backup: it has no ${FILES.manifest}.`,
    });
  }
  const manifest = parseManifest(text);
  if (manifest === null) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `${join(folder, FILES.manifest)} cannot be read: it is damaged, or of a newer release.`,
    });
  }
  return manifest;
}

function parseManifest(text: string): Manifest | null {
  try {
    const found = JSON.parse(text) as Partial<Manifest>;
    return found.format === 1 && Array.isArray(found.files) ? (found as Manifest) : null;
  } catch {
    return null;
  }
}

/** Writes chunks to a new file, flushes it to disk, and returns what its bytes are. */
export async function writeChunks(
  file: string,
  chunks: AsyncIterable<Buffer | string>,
): Promise<Omit<SavedFile, 'path'>> {
  const handle = await open(file, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      const buffer = Buffer.from(chunk);
      hash.update(buffer);
      bytes += buffer.length;
      await handle.writeFile(buffer);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Reads a file and returns what its bytes are. */
export async function hashFile(
  file: string,
  onBytes: (bytes: number) => void,
): Promise<Omit<SavedFile, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 ** 2 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    onBytes((chunk as Buffer).length);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Yields the values of a file that has one JSON value a line. */
export async function* readLines<T>(file: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    yield JSON.parse(line) as T;
  }
}
