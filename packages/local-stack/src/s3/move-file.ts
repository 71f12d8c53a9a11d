import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';

const TRIES = 100;

/** Renames a file to its final path, and retries when a concurrent cleanup removes the folder. */
export async function moveFile(file: string, from: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await rename(from, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === TRIES) {
        throw error;
      }
    }
  }
}
