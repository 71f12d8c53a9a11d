import { accessSync, constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import path from 'node:path';

/** File of the spool that is read when it is complete. */
export interface SpoolFile {
  /** Appends bytes. Returns false, and keeps none of them, when the spool has no room. Throws errors of the file system. */
  readonly append: (chunks: readonly Buffer[]) => Promise<boolean>;
  /** Bytes that were appended. */
  readonly size: () => number;
  /** Fills a buffer with the bytes from a position on. Throws errors of the file system. */
  readonly read: (into: Buffer, position: number) => Promise<void>;
  /** Frees the space. */
  readonly close: () => Promise<void>;
}

/** Disk space for bytes that arrive faster than they can be used, or more slowly than memory may be held for them. */
export interface Spool {
  /** Opens an empty file. Throws errors of the file system. */
  readonly open: () => Promise<SpoolFile>;
}

/** Terms of a spool. */
export interface SpoolOptions {
  readonly dir: string;
  /** Bytes that all files together may have. */
  readonly maxBytes: number;
  /** Unique among the processes that share the folder. */
  readonly id: string;
  readonly onSize?: (bytes: number) => void;
}

const EXTENSION = '.spool';
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Creates the spool of a process. A file loses its name as soon as it is open. The kernel therefore frees it when the process
 * ends, however it ends, and processes that share the folder have nothing of each other's to remove. A crash between
 * the two steps leaves an empty file, which the next start removes. Throws when the folder can't be written.
 */
export function createSpool({ dir, maxBytes, id, onSize = () => undefined }: SpoolOptions): Spool {
  try {
    mkdirSync(dir, { recursive: true, mode: OWNER_ONLY.folder });
    accessSync(dir, constants.W_OK);
    const left = readdirSync(dir).filter((name) => name.endsWith(EXTENSION));
    for (const name of left) {
      rmSync(path.join(dir, name), { force: true });
    }
  } catch (cause) {
    throw new Error(`SPOOL_DIR cannot be used: ${(cause as Error).message}`, { cause });
  }
  let bytes = 0;
  let files = 0;
  const grow = (by: number): void => {
    bytes += by;
    onSize(bytes);
  };
  return {
    open: async () => {
      files += 1;
      const name = path.join(dir, `${id}-${files}${EXTENSION}`);
      const handle = await open(name, 'wx+', OWNER_ONLY.file);
      // The start of another process may have removed the name already.
      await unlink(name).catch(() => undefined);
      return openFile(handle, { grow, hasRoom: (more) => bytes + more <= maxBytes });
    },
  };
}

function openFile(
  handle: FileHandle,
  { grow, hasRoom }: { readonly grow: (by: number) => void; readonly hasRoom: (more: number) => boolean },
): SpoolFile {
  let size = 0;
  let closed: Promise<void> | undefined;
  return {
    append: async (chunks) => {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      if (!hasRoom(bytes)) {
        return false;
      }
      grow(bytes);
      try {
        // Bytes of a failed write beyond the end are overwritten or never read.
        for (let at = 0; at < bytes; ) {
          at += (await handle.writev(skip(chunks, at), size + at)).bytesWritten;
        }
      } catch (error) {
        grow(-bytes);
        throw error;
      }
      size += bytes;
      return true;
    },
    size: () => size,
    read: async (into, position) => {
      for (let at = 0; at < into.length; ) {
        const { bytesRead } = await handle.read(into, at, into.length - at, position + at);
        if (bytesRead === 0) {
          throw new Error(`a file of the spool ends after ${position + at} of ${size} bytes`);
        }
        at += bytesRead;
      }
    },
    close: () => {
      closed ??= handle.close().finally(() => grow(-size));
      return closed;
    },
  };
}

/** Returns the rest of chunks after so many bytes. */
function skip(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
    return rest.length > 0 ? [rest] : [];
  });
}
