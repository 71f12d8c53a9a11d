import path from 'node:path';
import { env } from 'node:process';
import type { Output } from '../../../../scripts/process/progress.mjs';
import { loadSecrets } from '../data-dir/load-secrets.js';
import { createSupervisor } from '../process/supervisor.js';
import { startServices } from '../services/start-services.js';

/** Database and object store of a data folder that run without a gateway. */
export interface ServedDataDir {
  /** Settings with their addresses. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** Starts PostgreSQL and the object store of a data folder on free ports; a new folder gets new ones. */
export async function serveDataDir(
  dataDir: string,
  { signal, out }: { readonly signal: AbortSignal; readonly out: Output },
): Promise<ServedDataDir> {
  const print = (line: string): void => void out.write(`${line}\n`);
  const supervisor = createSupervisor({ graceMs: 0, print, onPid: () => undefined });
  const stop = (): Promise<void> => supervisor.stop();
  const secrets = loadSecrets(dataDir);
  const s3Access = {
    bucket: env.S3_BUCKET?.trim() || 'image-gateway',
    accessKey: secrets.s3AccessKey,
    secretKey: secrets.s3SecretKey,
  };
  const context = {
    dataDir,
    // Programs that a machine lacks are installed for Redis alone, which is not started.
    cacheDir: path.join(dataDir, 'cache'),
    durable: false,
    supervisor,
    out,
    print,
    signal,
    graceMs: 0,
    onLostPort: ({ message }: Error) => print(message),
  };
  try {
    const { postgres, s3 } = await startServices(context, new Set(['postgres', 's3']), { secrets, s3Access });
    return {
      env: {
        DATABASE_URL: postgres?.url ?? '',
        S3_CREDENTIALS: 'keys',
        S3_ENDPOINT: s3?.url ?? '',
        S3_BUCKET: s3Access.bucket,
        S3_ACCESS_KEY: s3?.accessKey ?? '',
        S3_SECRET_KEY: s3?.secretKey ?? '',
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
