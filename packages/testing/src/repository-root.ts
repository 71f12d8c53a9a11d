import { existsSync } from 'node:fs';
import path from 'node:path';

/** Finds the root of the repository, whichever folder a test runs in. */
export function repositoryRoot(): string {
  let folder = process.cwd();
  while (!existsSync(path.join(folder, 'pnpm-workspace.yaml'))) {
    const parent = path.dirname(folder);
    if (parent === folder) {
      throw new Error(`${process.cwd()} is not inside the repository`);
    }
    folder = parent;
  }
  return folder;
}
