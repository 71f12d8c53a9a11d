import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startS3 } from '@image-gateway/local-stack';
import { freePort } from '@image-gateway/testing';
import type { RunningStore } from './conformance/running-store.js';

/** The server that `npm start` would use, in a folder of its own: the embedded one, or the given MinIO. */
export async function startLocalStore(minio: string | null): Promise<RunningStore> {
  const folder = mkdtempSync(path.join(tmpdir(), 'object-store-'));
  const store = await startS3({
    folder,
    port: await freePort(),
    bucket: 'image-gateway',
    accessKey: randomBytes(10).toString('hex'),
    secretKey: randomBytes(20).toString('hex'),
    durable: true,
    minio,
  });
  return {
    ...store,
    async stop() {
      await store.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
