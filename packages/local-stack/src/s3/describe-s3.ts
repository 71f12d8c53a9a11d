import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from '../process/supervise.js';
import { embeddedCommand } from './embedded-command.js';
import { clearLeftover, withPidFile } from './leftover.js';
import { minioCommand } from './minio-command.js';
import type { S3Options } from './s3-options.js';
import { waitForS3 } from './wait-for-s3.js';

/** An object store that somebody else starts and keeps running. */
export interface S3Description {
  readonly kind: 'embedded' | 'minio';
  readonly url: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Something the person at the keyboard should know, for instance where earlier objects are; null mostly. */
  readonly note: string | null;
  /** How to start it now, always on the same port; ends what an earlier run left behind. */
  command(): Promise<Command>;
  /** Resolves when it answers; rejects after `patienceMs` (30 s) or when the signal says so. */
  ready(options?: { patienceMs?: number; signal?: AbortSignal }): Promise<void>;
}

/** Describes the object store of a data folder: the embedded server, or MinIO where a program of it is given. */
export function describeS3(options: S3Options): S3Description {
  const { port, bucket, accessKey, secretKey, minio } = options;
  const kind = minio === null ? 'embedded' : 'minio';
  const folder = path.join(options.folder, kind);
  const url = `http://127.0.0.1:${port}`;
  return {
    kind,
    url,
    bucket,
    accessKey,
    secretKey,
    note: noteOnOther(options.folder, kind),
    async command() {
      await clearLeftover(folder);
      const plain = minio === null ? embeddedCommand(options, folder) : minioCommand(options, minio, folder);
      return withPidFile(plain, folder);
    },
    ready: (wait = {}) => waitForS3(kind === 'minio' ? `${url}/minio/health/ready` : url, wait),
  };
}

/** Pictures do not move between the two servers; who switches is told where the earlier ones are. */
function noteOnOther(folder: string, kind: 'embedded' | 'minio'): string | null {
  const other = kind === 'minio' ? 'embedded' : 'minio';
  if (!existsSync(path.join(folder, other)) || existsSync(path.join(folder, kind))) return null;
  return kind === 'minio'
    ? `MinIO is used from now on; pictures stored before stay in ${path.join(folder, other)} and are not served (start without minio on PATH and MINIO_BIN to get them back)`
    : `the embedded object store is used from now on; pictures stored in MinIO before stay in ${path.join(folder, other)} and are not served (set MINIO_BIN to get them back)`;
}
