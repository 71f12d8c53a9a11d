import fs from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import type { Output } from '../../../../scripts/process/progress.mjs';
import { loadSecrets } from '../data-dir/load-secrets.js';
import { lockDataDir } from '../data-dir/lock-data-dir.js';
import { chooseLocation, type PostgresLocation } from '../postgres/choose-location.js';
import { findBinaries } from '../postgres/find-binaries.js';
import { markCluster } from '../postgres/init-cluster.js';
import { clearPostgresLeftover } from '../postgres/postgres-service.js';
import { StackError } from '../stack-error.js';
import { type CopiedFile, copyTree } from './copy-tree.js';

/** Signal that ends a copy, and receiver of what it does. */
export interface CopyContext {
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly onFile: (file: CopiedFile) => void;
}

/** Files that belong to one run. Ports are of one machine, and a copy that is looked at gets others. */
const OF_A_RUN = [
  /^(run\.json|guard\.json|start\.lock|ports\.json|logs|spool|.*\.tmp)$/,
  /^s3\/[^/]+\/(server\.pid|\.incoming)$/,
  /^postgres(\/data)?\/(postmaster\.(pid|opts)|[^/]+\.unfinished)$/,
];
const DATABASE = 'postgres';
const SECRETS = 'secrets.json';

const isOfARun = (name: string): boolean => OF_A_RUN.some((pattern) => pattern.test(name));

/**
 * Copies a data folder whole, with the files of its database wherever they are. Nothing can start on it meanwhile. Throws StackError
 * while a gateway runs on it, and where it is none.
 */
export async function saveDataDir(dataDir: string, target: string, context: CopyContext): Promise<void> {
  if (!fs.existsSync(path.join(dataDir, SECRETS))) {
    throw new StackError(
      `There is no gateway of npm start in ${dataDir}. Set DATA_DIR to its folder, or DATABASE_URL to a database.`,
    );
  }
  const lock = await lockDataDir(dataDir, context.out, context.signal);
  try {
    const location = chooseLocation(dataDir, findBinaries(env));
    await clearPostgresLeftover(location.cluster);
    const isLeftOut = (name: string): boolean => isOfARun(name) || name === DATABASE;
    await copy(dataDir, target, { ...context, isLeftOut });
    await copy(location.folder, path.join(target, DATABASE), {
      ...context,
      below: DATABASE,
      isLeftOut: (name) => isOfARun(`${DATABASE}/${name}`),
    });
  } finally {
    lock.release();
  }
}

/**
 * Makes a data folder of a saved one, and returns where the files of its database are. With `isScratch` stored objects are links where
 * that is possible. Throws StackError where there is a gateway already.
 */
export async function placeDataDir(
  saved: string,
  dataDir: string,
  { isScratch, ...context }: CopyContext & { readonly isScratch: boolean },
): Promise<PostgresLocation> {
  if (fs.existsSync(path.join(dataDir, SECRETS))) {
    throw new StackError(
      `There is a gateway in ${dataDir} already. Move that folder away, or set DATA_DIR to a new one.`,
    );
  }
  fs.mkdirSync(dataDir, { recursive: true });
  await copy(saved, dataDir, {
    ...context,
    isLeftOut: (name) => [DATABASE, SECRETS].includes(name) || isOfARun(name),
    isConstant: (name) => isScratch && name.startsWith('s3/embedded/'),
  });
  const location = chooseLocation(dataDir, findBinaries(env));
  if (fs.existsSync(location.cluster)) {
    throw new StackError(`${location.cluster} holds a database already. Move it away.`);
  }
  const { user: owner } = location;
  await copy(path.join(saved, DATABASE), location.folder, { ...context, isLeftOut: () => false, owner });
  // Last, since nothing can start on a folder that was cut without them.
  fs.copyFileSync(path.join(saved, SECRETS), path.join(dataDir, SECRETS));
  if (location.isOutside) {
    markCluster(location, loadSecrets(dataDir).postgresPassword);
  }
  return location;
}

async function copy(
  from: string,
  to: string,
  {
    onFile,
    below = '',
    ...options
  }: CopyContext & Parameters<typeof copyTree>[2] & { readonly below?: string },
): Promise<void> {
  fs.mkdirSync(to, { recursive: true });
  for await (const file of copyTree(from, to, options)) {
    onFile({ ...file, path: path.posix.join(below, file.path) });
  }
}
