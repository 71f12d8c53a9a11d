import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';

const TRIES = 100;

/** Renames a file to its place; the folder may be tidied away while it is made, and before the rename. */
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
