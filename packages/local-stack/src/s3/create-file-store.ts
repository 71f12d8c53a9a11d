import { type FileHandle, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Declared, type OpenObject, openObject, receiveObject } from './object-file.js';
import { getObjectPath, walkObjects } from './object-keys.js';
import { S3Error } from './s3-error.js';

/** Object to store and the conditions of its request. */
export interface PutRequest {
  readonly bucket: string;
  readonly key: string;
  readonly content: AsyncIterable<Buffer>;
  readonly headers: Record<string, string>;
  readonly declared: Declared;
  /** Only if there is no such object (`If-None-Match: *`). */
  readonly onlyNew: boolean;
}

/** Store of objects in files. One rename publishes a complete object, so that no crash leaves a partial one. */
export interface FileStore {
  readonly hasBucket: (name: string) => Promise<boolean>;
  readonly makeBucket: (name: string) => Promise<void>;
  /** The caller closes the file. */
  readonly open: (bucket: string, key: string) => Promise<OpenObject | null>;
  put(request: PutRequest): Promise<{ size: number; md5: string }>;
  readonly remove: (bucket: string, key: string) => Promise<void>;
  readonly keys: (bucket: string, prefix: string) => AsyncGenerator<string>;
}

/** Opens the store of a folder and removes partial uploads of an earlier process; one process at a time may use it. */
export async function createFileStore(options: { folder: string; durable: boolean }): Promise<FileStore> {
  const { folder, durable } = options;
  // Bucket names begin with a letter or a digit.
  const incoming = path.join(folder, '.incoming');
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });
  const locked = createKeyLocks();
  const getFile = (bucket: string, key: string) => path.join(folder, bucket, getObjectPath(key));

  async function refuseTaken(file: string): Promise<void> {
    const found = await openObject(file);
    await found?.file.close();
    if (found) {
      throw new S3Error('PreconditionFailed', 'An object with this key exists.');
    }
  }

  return {
    hasBucket: (name) =>
      stat(path.join(folder, name)).then(
        (found) => found.isDirectory(),
        () => false,
      ),

    async makeBucket(name) {
      await mkdir(path.join(folder, name), { recursive: true });
    },

    open: (bucket, key) => openObject(getFile(bucket, key)),

    async put({ bucket, key, content, headers, declared, onlyNew }) {
      const file = getFile(bucket, key);
      if (onlyNew) {
        await refuseTaken(file);
      }
      const received = await receiveObject(content, { folder: incoming, headers, declared, durable });
      try {
        await locked(file, async () => {
          if (onlyNew) {
            await refuseTaken(file);
          }
          await moveFile(file, received.path);
        });
      } catch (error) {
        await rm(received.path, { force: true });
        throw error;
      }
      if (durable) {
        await syncFolder(path.dirname(file));
      }
      return { size: received.head.bytes, md5: received.head.md5 };
    },

    async remove(bucket, key) {
      const file = getFile(bucket, key);
      await locked(file, () => rm(file, { force: true }));
      const top = path.join(folder, bucket);
      // A folder that is not empty, or already removed, ends the cleanup.
      let isEmpty = true;
      for (let above = path.dirname(file); isEmpty && above !== top; above = path.dirname(above)) {
        isEmpty = await rmdir(above).then(
          () => true,
          () => false,
        );
      }
    },

    keys: (bucket, prefix) => walkObjects(path.join(folder, bucket), prefix),
  };
}

/** Creates the lock that runs work of the same name in sequence, and of different names in parallel. */
function createKeyLocks(): <R>(name: string, work: () => Promise<R>) => Promise<R> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) {
        last.delete(name);
      }
    }
  };
}

/** Flushes the entries of a folder to disk, where the file system supports it. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!isCode(error, ['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP', 'ENOENT'])) {
      throw error;
    }
  } finally {
    await handle?.close();
  }
}

const isCode = (error: unknown, codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

const TRIES = 100;

/** Renames a file to its final path, and retries when a concurrent cleanup removes the folder. */
export async function moveFile(file: string, from: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await rename(from, file);
      return;
    } catch (error) {
      // A recursive mkdir also says ENOTDIR when another removal takes away a folder that it has just seen.
      if (!isCode(error, ['ENOENT', 'ENOTDIR']) || tries === TRIES) {
        throw error;
      }
    }
  }
}
