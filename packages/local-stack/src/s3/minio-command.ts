import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Command } from '../process/supervise.js';
import type { S3Options } from './s3-options.js';

/** How MinIO is started: one drive, 127.0.0.1 only, no browser console, nothing fetched, no files of its user. */
export function minioCommand(options: S3Options, program: string, folder: string): Command {
  const { port, bucket, accessKey, secretKey } = options;
  const drive = path.join(folder, 'drive');
  // A folder on the drive is a bucket: it is there from the first request on.
  mkdirSync(path.join(drive, bucket), { recursive: true, mode: 0o700 });
  const certificates = path.join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  return {
    file: program,
    args: ['server', drive, '--address', `127.0.0.1:${port}`, '--certs-dir', certificates, '--quiet'],
    env: {
      ...process.env,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      MINIO_VOLUMES: undefined,
    },
    cwd: folder,
  };
}
