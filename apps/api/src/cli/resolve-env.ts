import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Parts of `run.json` that name the services. */
interface RunFile {
  readonly api?: { readonly url?: string };
  readonly postgres?: { readonly url?: string; readonly pid?: number };
  readonly redis?: { readonly url?: string };
  readonly s3?: {
    readonly url?: string;
    readonly bucket?: string;
    readonly accessKey?: string;
    readonly secretKey?: string;
  };
}

/**
 * Completes the environment from `DATA_DIR/run.json` and the key there that encrypts those of providers; `DATA_DIR` is `.data`
 * in the project folder by default. Variables of the environment win. An absent or unreadable file adds none.
 */
export function resolveEnv(env: Env, projectDir: string): Env {
  const dataDir = findDataDir(env, projectDir);
  const run = readRunFile(env, projectDir);
  const found: Env = {
    DATABASE_URL: run.postgres?.url,
    // Its name in the compose file and in the chart.
    DIRECT_URL: env.MIGRATION_DATABASE_URL?.trim() || undefined,
    REDIS_URL: run.redis?.url,
    S3_ENDPOINT: run.s3?.url,
    S3_BUCKET: run.s3?.bucket,
    S3_ACCESS_KEY: run.s3?.accessKey,
    S3_SECRET_KEY: run.s3?.secretKey,
    BASE_URL: run.api?.url,
    SPOOL_DIR: run.api && join(dataDir, 'spool'),
    ENCRYPTION_KEY: readJson<{ readonly encryptionKey?: string }>(join(dataDir, 'secrets.json'))
      .encryptionKey,
  };
  const known = Object.entries(found).filter(([, value]) => typeof value === 'string');
  const given = Object.entries(env).filter(([, value]) => value?.trim());
  return Object.fromEntries([...known, ...given]);
}

/** Returns the folder in which `npm start` keeps everything: `DATA_DIR`, by default `.data` in the project folder. */
export function findDataDir(env: Env, projectDir: string): string {
  return resolve(projectDir, env.DATA_DIR?.trim() || '.data');
}

/** Reads what `npm start` runs; empty where it does not. */
export function readRunFile(env: Env, projectDir: string): RunFile {
  return readJson<RunFile>(join(findDataDir(env, projectDir), 'run.json'));
}

/** Reads a file of the data folder; an absent or unreadable one, or one that is being written, is empty. */
function readJson<T extends object>(file: string): Partial<T> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    // No stack runs here: the environment must name every setting.
    return {};
  }
}
