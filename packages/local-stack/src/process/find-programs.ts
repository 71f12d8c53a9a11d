import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Returns whether a file is a program that this user may run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Returns the programs of a name in some folders, in the order of the folders; empty folder names are ignored. */
export function findPrograms(name: string, folders: readonly string[]): string[] {
  return folders
    .filter(Boolean)
    .map((folder) => path.resolve(folder, name))
    .filter(isExecutable);
}
