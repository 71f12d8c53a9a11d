import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import { buildPng, repositoryRoot, startReceiver } from '@image-gateway/testing';
import pg from 'pg';
import { startGuard } from '../faults/lab/start-guard.js';
import { startHooksReceiver } from '../faults/lab/start-hooks-receiver.js';
import { watchLog } from '../faults/lab/watch-log.js';

/** The services that both releases share, and what watches them. */
export type Site = Awaited<ReturnType<typeof startSite>>;

/** Milliseconds that a stopping process may go on with its work. */
export const GRACE_MS = 10_000;

/**
 * Real times of the product where they decide who does the work, short ones where they only make the test wait. The lease
 * leaves room for a machine with other work: a lease lost to load would use up a try.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  METRICS_PORT: '0',
  BASE_URL: 'http://gateway.example',
  LEASE_MS: '6000',
  HEARTBEAT_MS: '1500',
  SWEEP_MS: '500',
  RETRY_BACKOFF: '0.5,1,1',
  WEBHOOK_RETRY_SCHEDULE: '0.5,1,2,3,5,5,5,5,5',
  TASK_DEADLINE_MS: '120000',
  SHUTDOWN_GRACE_MS: String(GRACE_MS),
  MAX_PENDING_TASKS: '20000',
  MAX_FAILED_TASKS: 'off',
  RATE_LIMIT_KEY: 'off',
  RATE_LIMIT_IP: 'off',
  PROVIDERS: 'sandbox',
  S3_BUCKET: 'image-gateway',
  AUTH_SECRET: 'a-secret-of-the-upgrade-test-that-is-long-enough',
};

/** Starts PostgreSQL with an empty database, Redis, the object store and the receiver of webhooks. */
export async function startSite(signal: AbortSignal) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-upgrade-'));
  const logFile = path.join(folder, 'product.log');
  const closing: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0)) {
      await close();
    }
  };
  const keep = <T>(thing: T, close: (thing: T) => unknown): T => {
    closing.unshift(() => close(thing));
    return thing;
  };
  keep(folder, () => {
    if (process.env.UPGRADE_KEEP === undefined) {
      rmSync(folder, { recursive: true, force: true });
    } else {
      process.stderr.write(`The log is kept in ${logFile}\n`);
    }
  });
  try {
    const services = keep(
      await startTestServices({
        wanted: new Set(['postgres', 'redis', 's3']),
        cacheDir: path.join(repositoryRoot(), '.cache'),
        out: process.stderr,
        signal,
      }),
      (one) => one.stop(),
    );
    const databaseUrl = await createDatabase(services.env.TEST_DATABASE_URL ?? '');
    const pool = keep(
      new pg.Pool({
        connectionString: databaseUrl,
        max: 3,
        options: '-c timezone=UTC -c statement_timeout=0',
      }),
      (one) => one.end(),
    );
    pool.on('error', (error) => process.stderr.write(`${String(error)}\n`));
    const receiver = keep(await startHooksReceiver(), (one) => one.close());
    const image = buildPng({ width: 64, height: 64, depth: 8, colour: 'rgb' });
    const imageHost = keep(await startReceiver((response) => response.end(image)), (one) => one.close());
    const guard = keep(startGuard(), (one) => one.close());
    const log = keep(watchLog(logFile), (one) => one.close());
    /** Settings of every process of either release. */
    const settings: Readonly<Record<string, string>> = {
      ...SETTINGS,
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      REDIS_URL: services.env.TEST_REDIS_URL ?? '',
      S3_ENDPOINT: services.env.TEST_S3_ENDPOINT ?? '',
      S3_ACCESS_KEY: services.env.TEST_S3_ACCESS_KEY ?? '',
      S3_SECRET_KEY: services.env.TEST_S3_SECRET_KEY ?? '',
      OUTBOUND_ALLOW: `${receiver.hostPorts},${imageHost.hostPort}`,
    };
    /** Runs last things first when the site closes. */
    const onStop = (close: () => unknown): void => void closing.unshift(close);
    const images = {
      /** Input image on a server of somebody else. */
      imageUrl: `${imageHost.url}/input.png`,
      /** The same image as a data URL. */
      dataUrl: `data:image/png;base64,${image.toString('base64')}`,
    };
    return { pool, receiver, ...images, guard, log, logFile, settings, onStop, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createDatabase(adminUrl: string): Promise<string> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query('CREATE DATABASE upgrade');
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = '/upgrade';
  return url.href;
}
