import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServiceEnvironment } from '../process/build-service-environment.js';
import { findPrograms, isExecutable } from '../process/find-programs.js';
import type { Command } from '../process/supervise.js';
import { StackError } from '../stack-error.js';

/** Object store to run, and its place. */
export interface S3Options {
  /** Folder of everything that the object store keeps. */
  readonly folder: string;
  readonly port: number;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** False for temporary data: nothing is flushed to disk. */
  readonly durable: boolean;
  /** MinIO program; null for the embedded server. */
  readonly minio: string | null;
  /** Process with which the embedded server ends, so that no kill leaves it behind; without it, the caller has to end it. */
  readonly parent?: ParentProcess;
}

/** Process without which a server has no use. */
export interface ParentProcess {
  readonly pid: number;
  /** Time after its end in which others may still use the server (milliseconds). */
  readonly lingerMs: number;
}

/** Returns the name by which an embedded object store shows, in each response, whose it is. It tells nothing of the keys. */
export function nameServer(accessKey: string): string {
  return `image-gateway-store/${hash('sha256', accessKey).slice(0, 16)}`;
}

/** Compiled entry point, also when this module runs from its source in a test. */
const MAIN = fileURLToPath(new URL('./main.js', import.meta.url)).replace(
  `${path.sep}src${path.sep}s3${path.sep}`,
  `${path.sep}dist${path.sep}s3${path.sep}`,
);

/** Returns the command of the embedded server. */
export function buildEmbeddedCommand(options: S3Options, folder: string): Command {
  const { port, bucket, accessKey, secretKey, durable, parent } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = ['--folder', folder, '--port', String(port), '--bucket', bucket];
  const end = parent ? ['--parent', String(parent.pid), '--linger', String(parent.lingerMs)] : [];
  return {
    file: process.execPath,
    args: [MAIN, ...place, ...(durable ? [] : ['--throwaway']), ...end],
    env: buildServiceEnvironment({ LOCAL_S3_ACCESS_KEY: accessKey, LOCAL_S3_SECRET_KEY: secretKey }),
    cwd: folder,
  };
}

/** Returns the command of MinIO: one drive, 127.0.0.1 only, no browser console, no update check, no files of its user. */
export function buildMinioCommand(options: S3Options, program: string, folder: string): Command {
  const { port, bucket, accessKey, secretKey } = options;
  const drive = path.join(folder, 'drive');
  // A folder on the drive is a bucket, which exists from the first request on.
  mkdirSync(path.join(drive, bucket), { recursive: true, mode: 0o700 });
  const certificates = path.join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  return {
    file: program,
    args: ['server', drive, '--address', `127.0.0.1:${port}`, '--certs-dir', certificates, '--quiet'],
    env: buildServiceEnvironment({
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    }),
    cwd: folder,
  };
}

/** Finds the MinIO to use instead of the embedded server: MINIO_BIN, else `minio` on PATH; null when there is neither. */
export function findMinio(env: NodeJS.ProcessEnv): string | null {
  if (env.MINIO_BIN) {
    if (isExecutable(env.MINIO_BIN)) {
      return path.resolve(env.MINIO_BIN);
    }
    throw new StackError(`MINIO_BIN names ${env.MINIO_BIN}, which is not an executable program`);
  }
  return findPrograms('minio', (env.PATH ?? '').split(path.delimiter))[0] ?? null;
}
