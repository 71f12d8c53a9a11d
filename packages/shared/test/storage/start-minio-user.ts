import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { startLocalStore } from './start-local-store.js';

const SCRIPT = path.join(repositoryRoot(), 'docker/minio-user.sh');
/** As long as those that docs/deploying-compose.md makes. */
const KEY_BYTES = 24;

/** MinIO with the user that the compose file makes for the processes. */
export type MinioWithUser = Awaited<ReturnType<typeof startMinioUser>>;

/** Starts MinIO and makes the user of the gateway as the compose file does; the store has that user's key, never the root's. */
export async function startMinioUser(minio: string, client: string) {
  const root = await startLocalStore(minio);
  const accessKey = randomBytes(KEY_BYTES).toString('hex');
  const first = randomBytes(KEY_BYTES).toString('hex');
  /** Runs the script of the compose file, with this secret for the user's. */
  const makeUser = (secretKey = first): void => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', [SCRIPT], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        MC_BIN: client,
        S3_ENDPOINT: root.url,
        S3_BUCKET: root.bucket,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secretKey,
        MINIO_ROOT_USER: root.accessKey,
        MINIO_ROOT_PASSWORD: root.secretKey,
      },
    });
    if (status !== 0) {
      throw new Error(`docker/minio-user.sh ended with ${status}:\n${stdout}${stderr}`);
    }
  };
  try {
    makeUser();
  } catch (error) {
    await root.stop();
    throw error;
  }
  return {
    ...root,
    accessKey,
    secretKey: first,
    root: { accessKey: root.accessKey, secretKey: root.secretKey },
    makeUser,
  };
}
