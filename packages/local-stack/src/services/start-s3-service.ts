import path from 'node:path';
import { reservePort } from '../data-dir/reserve-port.js';
import { clearS3Leftovers, describeS3 } from '../s3/describe-s3.js';
import { findMinio } from '../s3/server-commands.js';
import { logToFile } from './log-to-file.js';
import type { RunningService, ServiceContext } from './service-context.js';

/** Running object store and its keys. */
export interface RunningS3 extends RunningService {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Bucket and keys of an object store. */
export interface S3Access {
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Starts the object store (MinIO where a program of it is given, else the embedded one) and waits until it responds. */
export async function startS3Service(context: ServiceContext, access: S3Access): Promise<RunningS3> {
  const { dataDir, durable, supervisor, print, signal } = context;
  const folder = path.join(dataDir, 's3');
  await clearS3Leftovers(folder);
  const port = await reservePort(dataDir, 's3');
  const store = describeS3({
    ...access,
    folder,
    port,
    durable,
    minio: findMinio(process.env),
  });
  if (store.note !== null) {
    print(store.note);
  }
  const running = await supervisor.start({
    name: 's3',
    role: 'service',
    command: store.command,
    output: logToFile(path.join(dataDir, 'logs/s3.log')),
  });
  await store.ready({ signal });
  return { process: running, url: store.url, accessKey: store.accessKey, secretKey: store.secretKey };
}
