import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { waitForHttp } from '../net/wait-for-http.js';
import { stopLeftoverOfFile } from '../process/stop-leftover.js';
import type { Command } from '../process/supervise.js';
import { StackError } from '../stack-error.js';
import { buildEmbeddedCommand, buildMinioCommand, nameServer, type S3Options } from './server-commands.js';

const READY_TIMEOUT_MS = 30_000;

/** Object store that a supervisor starts and keeps running. */
export interface S3Description extends Pick<S3Options, 'bucket' | 'accessKey' | 'secretKey'> {
  readonly kind: 'embedded' | 'minio';
  readonly url: string;
  /** Note for the person at the terminal, for instance where earlier objects are; null mostly. */
  readonly note: string | null;
  /** Returns the command that starts it, always on the same port; ends the server of an earlier run first. */
  readonly command: () => Promise<Command>;
  /** Resolves when it responds; rejects after `timeoutMs` (30 s) or when the signal is aborted. */
  readonly ready: (options?: { timeoutMs?: number; signal?: AbortSignal }) => Promise<void>;
}

/** Describes the object store of a data folder: the embedded server, or MinIO where a program of it is given. */
export function describeS3(options: S3Options): S3Description {
  const { port, bucket, accessKey, secretKey, minio } = options;
  const kind = minio === null ? 'embedded' : 'minio';
  const folder = path.join(options.folder, kind);
  const url = `http://127.0.0.1:${port}`;
  return {
    kind,
    url,
    bucket,
    accessKey,
    secretKey,
    note: noteOnOther(options.folder, kind),
    async command() {
      await clearLeftover(folder);
      const plain =
        minio === null ? buildEmbeddedCommand(options, folder) : buildMinioCommand(options, minio, folder);
      return withPidFile(plain, folder);
    },
    async ready({ timeoutMs = READY_TIMEOUT_MS, signal = new AbortController().signal } = {}) {
      const probe = kind === 'minio' ? `${url}/minio/health/ready` : url;
      // The embedded server refuses a request without a signature as soon as it serves, and names itself; another gateway's may
      // have taken the port.
      const isOurs = ({ status, headers }: Response): boolean =>
        status < 500 && (kind === 'minio' || headers.get('server') === nameServer(accessKey));
      if (!(await waitForHttp(probe, timeoutMs, signal, isOurs))) {
        throw new StackError(`The object store at ${url} does not respond`);
      }
    },
  };
}

/** Images do not move between the two servers: a switch prints where the earlier ones are. */
function noteOnOther(folder: string, kind: 'embedded' | 'minio'): string | null {
  const other = kind === 'minio' ? 'embedded' : 'minio';
  if (!existsSync(path.join(folder, other)) || existsSync(path.join(folder, kind))) {
    return null;
  }
  const [now, before, way] =
    kind === 'minio'
      ? ['MinIO', 'images stored before', 'start without minio on PATH and MINIO_BIN']
      : ['the embedded object store', 'images stored in MinIO before', 'set MINIO_BIN'];
  const kept = `${before} stay in ${path.join(folder, other)} and are not served`;
  return `${now} is used from now on; ${kept} (${way} to get them back)`;
}

const getPidFile = (folder: string) => path.join(folder, 'server.pid');

/** Ends the server of an earlier run on this folder; two servers would corrupt its files. */
async function clearLeftover(folder: string): Promise<void> {
  const file = getPidFile(folder);
  await stopLeftoverOfFile(file, (command) => command.includes(folder), 'SIGTERM');
  rmSync(file, { force: true });
}

/** Ends the servers of an earlier run in the folder of an object store, which frees their port. */
export async function clearS3Leftovers(folder: string): Promise<void> {
  for (const kind of ['embedded', 'minio']) {
    await clearLeftover(path.join(folder, kind));
  }
}

/** Wraps a command so that its process writes its pid file before it becomes the server. */
function withPidFile(command: Command, folder: string): Command {
  const script = 'echo $$ > "$0" && exec "$@"';
  return {
    ...command,
    file: '/bin/sh',
    args: ['-c', script, getPidFile(folder), command.file, ...command.args],
  };
}
