import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { StackError } from '../stack-error.js';

/** User of the PostgreSQL server. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const readId = (flag: '-u' | '-g', name: string): number =>
  Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

function lookUp(name: string): ServerUser | null {
  try {
    return { uid: readId('-u', name), gid: readId('-g', name) };
  } catch {
    return null;
  }
}

function addUser(): ServerUser | null {
  // Debian and most others; then Alpine's busybox.
  const ways = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/sh', 'postgres'],
    ['adduser', '-S', '-D', '-H', '-s', '/bin/sh', 'postgres'],
  ];
  for (const [file = '', ...args] of ways) {
    if (spawnSync(file, args, { stdio: 'ignore' }).status === 0) {
      return lookUp('postgres');
    }
  }
  return null;
}

/**
 * Finds the user of the server when root starts it, because PostgreSQL refuses to run as root. It is the owner of an existing
 * cluster, else the user postgres, who is created if missing. Other users run the server themselves: null.
 */
export function findServerUser(existingCluster: string): ServerUser | null {
  if (process.getuid?.() !== 0) {
    return null;
  }
  if (fs.existsSync(existingCluster)) {
    const { uid, gid } = fs.statSync(existingCluster);
    if (uid !== 0) {
      return { uid, gid };
    }
  }
  const user = lookUp('postgres') ?? addUser() ?? lookUp('nobody');
  if (user === null) {
    throw new StackError(
      'PostgreSQL does not run as root, and no user postgres could be created: start as another user.',
    );
  }
  return user;
}
