import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { buildServiceEnvironment } from '../process/build-service-environment.js';
import { run } from '../process/run.js';
import { StackError } from '../stack-error.js';
import type { PostgresLocation } from './choose-location.js';

/**
 * Renames a cluster outside the data folder that has another password: it remains after its data folder was removed.
 * Returns its new folder; null when there is none.
 */
export function moveForeignCluster(location: PostgresLocation, password: string): string | null {
  if (!location.isOutside) {
    return null;
  }
  const { file, mine } = describeMark(location, password);
  const foreign =
    fs.existsSync(location.cluster) && (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== mine);
  markCluster(location, password);
  if (!foreign) {
    return null;
  }
  const aside = `${location.cluster}.${Date.now()}`;
  fs.renameSync(location.cluster, aside);
  return aside;
}

/** Writes down, beside a cluster outside its data folder, which password it has. */
export function markCluster(location: PostgresLocation, password: string): void {
  const { file, mine } = describeMark(location, password);
  fs.writeFileSync(file, mine, { mode: 0o600 });
}

function describeMark({ folder }: PostgresLocation, password: string): { file: string; mine: string } {
  return { file: path.join(folder, 'mark'), mine: createHash('sha256').update(password).digest('hex') };
}

/** Creates the cluster if it is missing: password authentication only, UTF-8, C collation. An interrupted one is created again. */
export async function initCluster(location: PostgresLocation, password: string): Promise<void> {
  if (fs.existsSync(path.join(location.cluster, 'PG_VERSION'))) {
    return;
  }
  const unfinished = `${location.cluster}.unfinished`;
  const passwordFile = path.join(location.folder, 'password');
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  if (location.user) {
    fs.chownSync(passwordFile, location.user.uid, location.user.gid);
  }
  try {
    const result = await run(
      path.join(location.binaries, 'bin/initdb'),
      [
        `--pgdata=${unfinished}`,
        `--pwfile=${passwordFile}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
      ],
      { cwd: location.folder, env: buildServiceEnvironment({ LC_ALL: 'C' }), ...location.user },
    );
    if (result.code !== 0) {
      const reason = result.missing
        ? 'the program does not run on this system'
        : `${result.stdout}${result.stderr}`.trim();
      throw new StackError(
        `The embedded PostgreSQL could not create its files: ${reason}\nYou can set DATABASE_URL to a database of your own.`,
      );
    }
    fs.renameSync(unfinished, location.cluster);
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}
