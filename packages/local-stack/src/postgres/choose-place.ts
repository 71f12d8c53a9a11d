import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type ServerUser, serverUser } from './server-user.js';

/** Files, programs and user of a PostgreSQL. */
export interface Place {
  /** Holds the cluster; belongs to whom the server runs as. */
  readonly folder: string;
  readonly cluster: string;
  /** The folder with `bin`, `lib` and `share`. */
  readonly binaries: string;
  readonly user: ServerUser | null;
  /** True when the files are outside the data folder. */
  readonly elsewhere: boolean;
}

const SYSTEM_FOLDER = '/var/lib/image-gateway';

const may = (user: ServerUser, test: '-w' | '-x', target: string): boolean =>
  spawnSync('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', target], { ...user, cwd: '/', stdio: 'ignore' })
    .status === 0;

function own(folder: string, user: ServerUser): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.chownSync(folder, user.uid, user.gid);
  fs.chmodSync(folder, 0o700);
}

/** A copy of the programs that everybody may run, made once for each version of them. */
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
 * Where the database's files and programs are: the data folder and node_modules, or, for root in a folder that the
 * server's own user cannot reach, `/var/lib/image-gateway/<hash of the folder>`.
 */
export function choosePlace(dataDir: string, binaries: string): Place {
  const inside = path.join(dataDir, 'postgres');
  const user = serverUser(path.join(inside, 'data'));
  if (user === null) {
    fs.mkdirSync(inside, { recursive: true });
    return { folder: inside, cluster: path.join(inside, 'data'), binaries, user, elsewhere: false };
  }
  const programs = may(user, '-x', path.join(binaries, 'bin/postgres')) ? binaries : copyBinaries(binaries);
  own(inside, user);
  if (may(user, '-w', inside)) {
    return { folder: inside, cluster: path.join(inside, 'data'), binaries: programs, user, elsewhere: false };
  }
  fs.rmdirSync(inside);
  const hash = createHash('sha256').update(fs.realpathSync(dataDir)).digest('hex').slice(0, 16);
  const outside = path.join(SYSTEM_FOLDER, hash);
  fs.mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  own(outside, user);
  return { folder: outside, cluster: path.join(outside, 'data'), binaries: programs, user, elsewhere: true };
}
