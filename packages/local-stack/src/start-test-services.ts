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
  /** The settings by which the tests find the services. */
  readonly env: Record<string, string>;
  /** The process of a service that was started here; another one after it was killed and started again. */
  readonly getPid: (service: ServiceName) => number | undefined;
  readonly stop: () => Promise<void>;
}

/** Services to start for tests, and their files and output. */
export interface TestServicesOptions {
  /** Services to start; without those that run elsewhere already. */
  readonly wanted: ReadonlySet<ServiceName>;
  readonly cacheDir: string;
  readonly out: Output;
  readonly signal: AbortSignal;
  /** Flush everything to disk, as `npm start` does; tests do without. */
  readonly durable?: boolean;
}

/** Starts PostgreSQL, Redis and S3 for tests on free ports, with data that is thrown away at `stop`. */
export async function startTestServices({
  wanted,
  cacheDir,
  out,
  signal,
  durable = false,
}: TestServicesOptions): Promise<TestServices> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'image-gateway-test-'));
  // For root, PostgreSQL runs as a user of its own that has to get through.
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
    const context = { dataDir, cacheDir, durable, supervisor, out, print, signal };
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
