import path from 'node:path';
import { StackError } from '../stack-error.js';

/** Settings that decide how the stack runs. */
export interface StackSettings {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** URL of the API on this machine, whatever BASE_URL is. */
  readonly localUrl: string;
  readonly metricsPort: number;
  readonly metricsHost: string;
  /** False when METRICS_PORT is not set, so that another port will do. */
  readonly metricsPortGiven: boolean;
  readonly graceMs: number;
  readonly demo: boolean;
  /** Services of one's own; what is missing is started here. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly s3Endpoint: string | undefined;
  readonly bucket: string;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
const LOOPBACK_REACHABLE = new Set(['', '0.0.0.0', '::', '127.0.0.1', 'localhost']);

function port(name: string, value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 65_535) {
    throw new StackError(`${name} has to be a port from 1 to 65535, not ${JSON.stringify(value)}.`);
  }
  return number;
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) {
    throw new StackError(`${name} has to be a positive number, not ${JSON.stringify(value)}.`);
  }
  return number;
}

/** Reads the settings that decide how the stack is run; an empty value counts as none. Throws StackError for what cannot be used. */
export function resolveSettings(env: NodeJS.ProcessEnv, root: string): StackSettings {
  const value = (name: string): string | undefined => env[name]?.trim() || undefined;
  const host = value('HOST') ?? '127.0.0.1';
  const apiPort = port('PORT', value('PORT') ?? '3000');
  const local = LOOPBACK_REACHABLE.has(host) ? '127.0.0.1' : host;
  const databaseUrl = value('DATABASE_URL');
  return {
    dataDir: path.resolve(root, value('DATA_DIR') ?? '.data'),
    host,
    port: apiPort,
    baseUrl: value('BASE_URL') ?? `http://localhost:${apiPort}`,
    localUrl: `http://${local.includes(':') ? `[${local}]` : local}:${apiPort}`,
    metricsPort: port('METRICS_PORT', value('METRICS_PORT') ?? '9464'),
    metricsHost: value('METRICS_HOST') ?? '127.0.0.1',
    metricsPortGiven: value('METRICS_PORT') !== undefined,
    graceMs: Math.min(
      positive('SHUTDOWN_GRACE_MS', value('SHUTDOWN_GRACE_MS') ?? '25000'),
      MAX_TIMER_MS - 10_000,
    ),
    demo: databaseUrl === undefined || value('DEMO') === '1',
    databaseUrl,
    redisUrl: value('REDIS_URL'),
    s3Endpoint: value('S3_ENDPOINT'),
    bucket: value('S3_BUCKET') ?? 'image-gateway',
  };
}
