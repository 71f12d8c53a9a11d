import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { StackError } from '../stack-error.js';

/** The MinIO server to use instead of the embedded one: MINIO_BIN, else a `minio` on PATH; null when there is neither. */
export function findMinio(env: NodeJS.ProcessEnv): string | null {
  if (env.MINIO_BIN) {
    if (isExecutable(env.MINIO_BIN)) return path.resolve(env.MINIO_BIN);
    throw new StackError(`MINIO_BIN names ${env.MINIO_BIN}, which is no program that can be run`);
  }
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.resolve(folder, 'minio')).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
