import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import { freePort, repositoryRoot } from '@image-gateway/testing';
import pg from 'pg';
import { type Fleet, startFleet } from '../start-fleet.js';
import { startGuard } from '../start-guard.js';
import { type Laboratory, untilReady } from '../start-laboratory.js';
import { openPostgresFolder } from './open-postgres-folder.js';

const execute = promisify(execFile);
const BUCKET = 'restored';
const COPIES_AT_A_TIME = 8;

/** A backup of the laboratory: a dump of the database and a copy of the bucket. */
export interface Backup {
  readonly dumpMs: number;
  readonly copyMs: number;
  readonly images: number;
  /** Starts an empty server, restores the dump, and starts processes on it and on the copied bucket. */
  readonly restore: () => Promise<RestoredSite>;
  readonly discard: () => Promise<void>;
}

/** Processes on restored data. */
export interface RestoredSite {
  readonly restoreMs: number;
  readonly pool: pg.Pool;
  readonly fleet: Fleet;
  /** Output of `ledger check --rest --json`; throws when the books do not add up. */
  readonly checkLedger: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Dumps the database and then copies the bucket, while the product runs: in this order each image of the dump is in the copy. */
export async function takeBackup(lab: Laboratory): Promise<Backup> {
  const folder = openPostgresFolder();
  const { database, s3 } = lab.services;
  const begun = performance.now();
  await folder.run('pg_dump', ['-d', database.url, '-Fc', '-f', 'gateway.dump']);
  const dumped = performance.now();
  const open = (bucket: string): ObjectStore =>
    createObjectStore({
      endpoint: s3.url,
      region: 'us-east-1',
      bucket,
      accessKey: s3.accessKey,
      secretKey: s3.secretKey,
      timeoutMs: 60_000,
    });
  const [from, to] = [open('image-gateway'), open(BUCKET)];
  await to.ensureBucket();
  const keys = await from.list('images/');
  const rest = [...keys];
  await Promise.all(
    Array.from({ length: COPIES_AT_A_TIME }, async () => {
      for (let key = rest.pop(); key !== undefined; key = rest.pop()) {
        await copyObject(from, to, key);
      }
    }),
  );
  from.close();
  to.close();
  return {
    dumpMs: Math.round(dumped - begun),
    copyMs: Math.round(performance.now() - dumped),
    images: keys.length,
    restore: () => restoreSite(lab, folder),
    discard: folder.stop,
  };
}

/** Copies an object with its type; one that was removed since the listing belongs to no task that completed. */
async function copyObject(from: ObjectStore, to: ObjectStore, key: string): Promise<void> {
  const [body, info] = [await from.read(key), await from.stat(key)];
  if (body && info) {
    await to.replace(key, body, {
      contentType: info.contentType,
      sha256: createHash('sha256').update(body).digest('hex'),
    });
  }
}

async function restoreSite(
  lab: Laboratory,
  folder: ReturnType<typeof openPostgresFolder>,
): Promise<RestoredSite> {
  const begun = performance.now();
  const port = await freePort();
  await folder.init('restored');
  await folder.start('restored', port);
  const options = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  await folder.run('createdb', [...options, 'image_gateway']);
  const flags = ['--clean', '--if-exists', '--no-owner', '--exit-on-error'];
  await folder.run('pg_restore', [...options, '-d', 'image_gateway', ...flags, 'gateway.dump']);
  const restoreMs = Math.round(performance.now() - begun);
  const databaseUrl = `postgresql://postgres@127.0.0.1:${port}/image_gateway`;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3, options: '-c statement_timeout=0' });
  pool.on('error', () => undefined);
  const guard = startGuard();
  const fleet = await startFleet(
    { guard, log: lab.log },
    { postgres: databaseUrl, redis: lab.services.redisUrl, s3: lab.services.s3.url },
    {
      S3_ACCESS_KEY: lab.services.s3.accessKey,
      S3_SECRET_KEY: lab.services.s3.secretKey,
      S3_BUCKET: BUCKET,
      REDIS_PREFIX: 'restored',
      AUTH_SECRET: 'a-secret-of-the-restored-site-that-is-long-enough',
      OUTBOUND_ALLOW: lab.receiver.hostPorts,
    },
  );
  await untilReady(fleet);
  return {
    restoreMs,
    pool,
    fleet,
    checkLedger: async () => {
      const args = [
        path.join(repositoryRoot(), 'scripts/gateway.mjs'),
        'ledger',
        'check',
        '--rest',
        '--json',
      ];
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl };
      return (await execute(process.execPath, args, { cwd: repositoryRoot(), env })).stdout;
    },
    stop: async () => {
      await fleet.stop();
      guard.close();
      await pool.end();
    },
  };
}
