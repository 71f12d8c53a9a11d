import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { findServerUser, type ServerUser } from './find-server-user.js';

/** Files, programs and user of a PostgreSQL. */
export interface PostgresLocation {
  /** Folder of the cluster, which the user of the server owns. */
  readonly folder: string;
  readonly cluster: string;
  /** Folder with `bin`, `lib` and `share`. */
  readonly binaries: string;
  readonly user: ServerUser | null;
  /** True when the files are outside the data folder. */
  readonly isOutside: boolean;
}

const SYSTEM_FOLDER = '/var/lib/image-gateway';

const canUser = (user: ServerUser, test: '-w' | '-x', target: string): boolean =>
  spawnSync('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', target], { ...user, cwd: '/', stdio: 'ignore' })
    .status === 0;

function createOwnedFolder(folder: string, user: ServerUser): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.chownSync(folder, user.uid, user.gid);
  fs.chmodSync(folder, 0o700);
}

/** Copies the programs to where every user may run them, once per version, and returns the folder. */
function copyBinaries(binaries: string): string {
  const manifest = fs.readFileSync(path.join(binaries, '../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${version}`);
  if (fs.existsSync(copy)) {
    return copy;
  }
  const unfinished = `${copy}.${process.pid}`;
  fs.cpSync(binaries, unfinished, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', unfinished]);
  fs.renameSync(unfinished, copy);
  return copy;
}

/**
 * Chooses the folders of the database files and of the programs: the data folder and node_modules. For root in a folder that
 * the user of the server cannot reach, both are in `/var/lib/image-gateway`.
 */
export function chooseLocation(dataDir: string, binaries: string): PostgresLocation {
  const inside = path.join(dataDir, 'postgres');
  const user = findServerUser(path.join(inside, 'data'));
  if (user === null) {
    fs.mkdirSync(inside, { recursive: true });
    return { folder: inside, cluster: path.join(inside, 'data'), binaries, user, isOutside: false };
  }
  const programs = canUser(user, '-x', path.join(binaries, 'bin/postgres'))
    ? binaries
    : copyBinaries(binaries);
  createOwnedFolder(inside, user);
  if (canUser(user, '-w', inside)) {
    return { folder: inside, cluster: path.join(inside, 'data'), binaries: programs, user, isOutside: false };
  }
  fs.rmdirSync(inside);
  const hash = createHash('sha256').update(fs.realpathSync(dataDir)).digest('hex').slice(0, 16);
  const outside = path.join(SYSTEM_FOLDER, hash);
  fs.mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  createOwnedFolder(outside, user);
  return { folder: outside, cluster: path.join(outside, 'data'), binaries: programs, user, isOutside: true };
}
