import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { waitForHttp } from '../net/wait-for-http.js';
import { stopLeftover } from '../process/stop-leftover.js';
import type { Command } from '../process/supervise.js';
import { StackError } from '../stack-error.js';
import { nameServer } from './name-server.js';
import { buildEmbeddedCommand, buildMinioCommand } from './server-commands.js';

const READY_TIMEOUT_MS = 30_000;

/** Object store to run, and its place. */
export interface S3Options {
  /** Folder of everything that the object store keeps. */
  readonly folder: string;
  readonly port: number;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** False for temporary data: nothing is flushed to disk. */
  readonly durable: boolean;
  /** MinIO program; null for the embedded server. */
  readonly minio: string | null;
  /** Process with which the embedded server ends, so that no kill leaves it behind; without it, the caller has to end it. */
  readonly parent?: ParentProcess;
}

/** Process without which a server has no use. */
export interface ParentProcess {
  readonly pid: number;
  /** Time after its end in which others may still use the server (milliseconds). */
  readonly lingerMs: number;
}

/** Object store that a supervisor starts and keeps running. */
export interface S3Description {
  readonly kind: 'embedded' | 'minio';
  readonly url: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
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
  return kind === 'minio'
    ? `MinIO is used from now on; images stored before stay in ${path.join(folder, other)} and are not served (start without minio on PATH and MINIO_BIN to get them back)`
    : `the embedded object store is used from now on; images stored in MinIO before stay in ${path.join(folder, other)} and are not served (set MINIO_BIN to get them back)`;
}

const getPidFile = (folder: string) => path.join(folder, 'server.pid');

/** Ends the server of an earlier run on this folder; two servers would corrupt its files. */
async function clearLeftover(folder: string): Promise<void> {
  const file = getPidFile(folder);
  if (!existsSync(file)) {
    return;
  }
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  if (pid > 0) {
    await stopLeftover(pid, (command) => command.includes(folder), 'SIGTERM');
  }
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
