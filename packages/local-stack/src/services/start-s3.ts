import path from 'node:path';
import { keepPort } from '../files/kept-ports.js';
import { clearS3Leftovers, describeS3, findMinio } from '../s3/index.js';
import { logToFile } from './log-file.js';
import type { RunningService, ServiceContext } from './service-context.js';

export interface RunningS3 extends RunningService {
  accessKey: string;
  secretKey: string;
}

export interface S3Access {
  bucket: string;
  accessKey: string;
  secretKey: string;
}

/** Starts the object store (MinIO where a program of it is given, else the embedded one) and waits until it answers. */
export async function startS3Service(context: ServiceContext, access: S3Access): Promise<RunningS3> {
  const { dataDir, durable, supervisor, say, signal } = context;
  const folder = path.join(dataDir, 's3');
  await clearS3Leftovers(folder);
  const port = await keepPort(dataDir, 's3');
  const store = describeS3({
    ...access,
    folder,
    port,
    durable,
    minio: findMinio(process.env),
  });
  if (store.note !== null) say(store.note);
  const running = await supervisor.start({
    name: 's3',
    role: 'service',
    command: store.command,
    output: logToFile(path.join(dataDir, 'logs/s3.log')),
  });
  await store.ready({ signal });
  return { process: running, url: store.url, accessKey: store.accessKey, secretKey: store.secretKey };
}
