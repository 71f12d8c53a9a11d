import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * A server program, or MinIO's client `mc`: named by a variable, on PATH, or built by `npm run object-stores:build`; null if there is
 * none. The client is not looked for on PATH, where another program has its name.
 */
export function findObjectStore(name: 'minio' | 'versitygw' | 'mc'): string | null {
  const named = process.env[`${name.toUpperCase()}_BIN`];
  const cache =
    process.env.OBJECT_STORES_DIR ||
    path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'image-gateway', 'object-stores');
  const onPath = name === 'mc' ? [] : (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const folders = [...onPath, cache];
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
