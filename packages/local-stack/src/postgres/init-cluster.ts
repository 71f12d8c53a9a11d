import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { run } from '../process/run.js';
import { serviceEnvironment } from '../process/service-environment.js';
import { StackError } from '../stack-error.js';
import type { Place } from './choose-place.js';

/**
 * Puts aside a cluster outside the data folder whose password is not ours: it stays when the data folder is removed to begin anew.
 * Returns the folder it is in now; null when there was nothing to do.
 */
export function putForeignAside(place: Place, password: string): string | null {
  if (!place.elsewhere) {
    return null;
  }
  const mark = path.join(place.folder, 'mark');
  const mine = createHash('sha256').update(password).digest('hex');
  const foreign =
    fs.existsSync(place.cluster) && (!fs.existsSync(mark) || fs.readFileSync(mark, 'utf8') !== mine);
  fs.writeFileSync(mark, mine, { mode: 0o600 });
  if (!foreign) {
    return null;
  }
  const aside = `${place.cluster}.${Date.now()}`;
  fs.renameSync(place.cluster, aside);
  return aside;
}

/** Makes the cluster unless it is there: password log-in only, UTF-8, C collation. One that was interrupted is made anew. */
export async function initCluster(place: Place, password: string): Promise<void> {
  if (fs.existsSync(path.join(place.cluster, 'PG_VERSION'))) {
    return;
  }
  const unfinished = `${place.cluster}.unfinished`;
  const passwordFile = path.join(place.folder, 'password');
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  if (place.user) {
    fs.chownSync(passwordFile, place.user.uid, place.user.gid);
  }
  try {
    const result = await run(
      path.join(place.binaries, 'bin/initdb'),
      [
        `--pgdata=${unfinished}`,
        `--pwfile=${passwordFile}`,
        ...['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
      ],
      { cwd: place.folder, env: serviceEnvironment({ LC_ALL: 'C' }), ...place.user },
    );
    if (result.code !== 0) {
      const why = result.missing
        ? 'the program does not run on this system'
        : `${result.stdout}${result.stderr}`.trim();
      throw new StackError(
        `The embedded PostgreSQL could not make its files: ${why}\nYou can set DATABASE_URL to a database of your own.`,
      );
    }
    fs.renameSync(unfinished, place.cluster);
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}
