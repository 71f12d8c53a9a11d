import fs from 'node:fs';
import path from 'node:path';
import { run } from '../process/run.js';
import type { RedisProgram } from './find-redis.js';

const TIMEOUT_MS = 300_000;

/** Finds the redis-server that was unpacked into a folder earlier, with the folders of its libraries; null when there is none. */
export function findUnpackedRedis(folder: string): RedisProgram | null {
  const file = path.join(folder, 'root/usr/bin/redis-server');
  if (!fs.existsSync(file)) {
    return null;
  }
  const libraries = ['usr/lib', 'lib'].flatMap((where) => {
    const base = path.join(folder, 'root', where);
    if (!fs.existsSync(base)) {
      return [];
    }
    const below = fs.readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [base, ...below.map((entry) => path.join(base, entry.name))];
  });
  return { file, env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/**
 * Downloads the Debian packages of redis-server and of missing libraries, and unpacks them into a folder. It needs no
 * privilege and installs nothing. Returns null without apt, dpkg or network.
 */
export async function unpackRedis(folder: string, signal: AbortSignal): Promise<RedisProgram | null> {
  const earlier = findUnpackedRedis(folder);
  if (earlier) {
    return earlier;
  }
  const downloads = path.join(folder, 'packages');
  fs.mkdirSync(path.join(downloads, 'lists/partial'), { recursive: true });
  fs.mkdirSync(path.join(downloads, 'cache/archives/partial'), { recursive: true });
  // The lists and downloads of the system belong to root.
  const own = [
    '-o',
    `Dir::State::lists=${downloads}/lists`,
    '-o',
    `Dir::Cache=${downloads}/cache`,
    '-o',
    'Debug::NoLocking=1',
  ];
  const apt = (...args: string[]) =>
    run('apt-get', [...own, ...args], { cwd: downloads, timeoutMs: TIMEOUT_MS, signal });

  const updated = await apt('update', '-q');
  if (updated.missing || updated.code !== 0) {
    return null;
  }
  const plan = await apt('install', '--simulate', '--no-install-recommends', 'redis-server');
  const missing = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  // The Debian package redis-tools contains the program; both packages may be installed out of reach of this user.
  const names = new Set(['redis-server', 'redis-tools', ...missing]);
  if ((await apt('download', ...names)).code !== 0) {
    return null;
  }

  const unfinished = path.join(folder, 'unfinished');
  fs.rmSync(unfinished, { recursive: true, force: true });
  for (const file of fs.readdirSync(downloads).filter((name) => name.endsWith('.deb'))) {
    const unpacked = await run('dpkg', ['-x', path.join(downloads, file), unfinished], {
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    if (unpacked.code !== 0) {
      return null;
    }
  }
  fs.renameSync(unfinished, path.join(folder, 'root'));
  fs.rmSync(downloads, { recursive: true, force: true });
  return findUnpackedRedis(folder);
}
