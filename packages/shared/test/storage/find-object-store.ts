import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** A server program: named by a variable, on PATH, or built by `npm run object-stores:build`; null if there is none. */
export function findObjectStore(name: 'minio' | 'versitygw'): string | null {
  const named = process.env[`${name.toUpperCase()}_BIN`];
  const cache =
    process.env.OBJECT_STORES_DIR ||
    path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'image-gateway', 'object-stores');
  const folders = [...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean), cache];
  const candidates = named ? [named] : folders.map((folder) => path.join(folder, name));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
