import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { findFreePort, findMinio, startS3 } from '@image-gateway/local-stack';
import { startBaseline } from './baseline.js';
import type { Bench } from './bench.js';
import type { Services } from './services.js';

/** The object stores that tasks are brought to their end with. */
export const STORES = ['stub', 'embedded', 'minio'] as const;
/** Name of an object store. */
export type StoreName = (typeof STORES)[number];

/** An object store that runs, for one figure. */
export interface RunningStore {
  readonly s3: Services['s3'];
  readonly stop: () => Promise<void>;
}

/** Starts an object store that flushes what it is given (the stub keeps nothing); null when there is no program of it on this machine. */
export async function startStore(bench: Bench, name: StoreName): Promise<RunningStore | null> {
  if (name === 'stub') {
    const { url, stop } = await startBaseline(bench, 'stub-store');
    return { s3: { ...bench.services.s3, endpoint: url }, stop };
  }
  const minio = name === 'minio' ? findMinio(withBuilt(process.env)) : null;
  if (name === 'minio' && minio === null) {
    return null;
  }
  const folder = path.join(bench.folder, 'stores', randomBytes(4).toString('hex'));
  const keys = { accessKey: randomBytes(10).toString('hex'), secretKey: randomBytes(20).toString('hex') };
  const port = await findFreePort();
  const store = await startS3({ ...keys, folder, port, bucket: 'image-gateway', durable: true, minio });
  return {
    s3: { ...keys, endpoint: store.url },
    stop: async () => {
      await store.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The environment in which what `npm run object-stores:build` has built is found as well. */
function withBuilt(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const cache = env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  const built = env.OBJECT_STORES_DIR || path.join(cache, 'image-gateway', 'object-stores');
  return { ...env, PATH: [env.PATH, built].filter(Boolean).join(path.delimiter) };
}
