import { open } from 'node:fs/promises';

/** Flushes the names in a folder to disk, where the file system knows how to do that for folders. */
export async function syncFolder(folder: string): Promise<void> {
  const unknown = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP', 'ENOENT']);
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!unknown.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
