import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Output } from '../../../scripts/process/progress.mjs';
import { loadSecrets } from './data-dir/load-secrets.js';
import type { ServiceName } from './data-dir/reserve-port.js';
import { createSupervisor } from './process/supervisor.js';
import { startServices } from './services/start-services.js';

/** Services that run for tests. */
export interface TestServices {
  /** Settings with the addresses of the services for the tests. */
  readonly env: Record<string, string>;
  /** Returns the current process of a service that was started here. */
  readonly getPid: (service: ServiceName) => number | undefined;
  readonly stop: () => Promise<void>;
}

/** Services to start for tests, and their files and output. */
export interface TestServicesOptions {
  /** Services to start, without those that already run elsewhere. */
  readonly wanted: ReadonlySet<ServiceName>;
  readonly cacheDir: string;
  readonly out: Output;
  readonly signal: AbortSignal;
  /** Flushes everything to disk, as `npm start` does; false by default. */
  readonly durable?: boolean;
}

/** Starts PostgreSQL, Redis and S3 for tests on free ports, with temporary data that `stop` removes. */
export async function startTestServices({
  wanted,
  cacheDir,
  out,
  signal,
  durable = false,
}: TestServicesOptions): Promise<TestServices> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'image-gateway-test-'));
  // For root, PostgreSQL runs as another user, who has to reach the folder.
  fs.chmodSync(dataDir, 0o755);
  const print = (line: string): void => void out.write(`${line}\n`);
  const supervisor = createSupervisor({ graceMs: 0, print, onPid: () => undefined });
  let databaseFolder: string | undefined;
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    if (databaseFolder) {
      fs.rmSync(databaseFolder, { recursive: true, force: true });
    }
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const onLostPort = ({ message }: Error): void => print(message);
    const context = { dataDir, cacheDir, durable, supervisor, out, print, signal, graceMs: 0, onLostPort };
    const secrets = loadSecrets(dataDir);
    const s3Access = {
      bucket: 'image-gateway',
      accessKey: secrets.s3AccessKey,
      secretKey: secrets.s3SecretKey,
    };
    const { postgres, redis, s3 } = await startServices(context, wanted, { secrets, s3Access });
    databaseFolder = postgres?.folder;
    const env: Record<string, string> = {};
    if (postgres) {
      env.TEST_DATABASE_URL = postgres.url.replace(/\/[^/]*$/, '/postgres');
    }
    if (redis) {
      env.TEST_REDIS_URL = redis.url;
    }
    if (s3) {
      Object.assign(env, {
        TEST_S3_ENDPOINT: s3.url,
        TEST_S3_ACCESS_KEY: s3.accessKey,
        TEST_S3_SECRET_KEY: s3.secretKey,
      });
    }
    const running = { postgres, redis, s3 };
    return { env, getPid: (service) => running[service]?.process.pid(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
