import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../../../../scripts/process/progress.mjs';
import type { Secrets } from '../data-dir/load-secrets.js';
import { holdPort, type ServiceName } from '../data-dir/reserve-port.js';
import { ensureDatabase } from '../database/ensure-database.js';
import { chooseLocation } from '../postgres/choose-location.js';
import { findBinaries } from '../postgres/find-binaries.js';
import { initCluster, moveForeignCluster } from '../postgres/init-cluster.js';
import { buildPostgresCommand, clearPostgresLeftover } from '../postgres/postgres-service.js';
import type { Command, SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';
import { pingRedis } from '../redis/ping-redis.js';
import { provideRedis } from '../redis/provide-redis.js';
import { buildRedisCommand, clearRedisLeftover } from '../redis/redis-service.js';
import { clearS3Leftovers, describeS3, type S3Description } from '../s3/describe-s3.js';
import { findMinio } from '../s3/server-commands.js';
import { StackError } from '../stack-error.js';

const MAX_BYTES = 10_000_000;

/** Appends the output of a service to a log file; a file over 10 MB is renamed at the start. */
function logToFile(file: string): (child: ChildProcess) => void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (fs.existsSync(file) && fs.statSync(file).size > MAX_BYTES) {
    fs.renameSync(file, `${file}.old`);
  }
  return (child) => {
    const stream = fs.createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A full disk must not end the stack; the service itself continues.
    stream.on('error', () => child.stdout?.resume());
    child.stdout?.pipe(stream, { end: false });
    child.stderr?.pipe(stream, { end: false });
    child.once('close', () => stream.end());
  };
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const S3_TIMEOUT_MS = 30_000;
/** Time after which the port of an object store that does not respond is looked at again (milliseconds). */
const S3_LOOK_MS = 500;
/** Time after the grace period for which an object store goes on that its supervisor left behind (milliseconds). */
const AFTER_GRACE_MS = 2_000;

interface ServiceToStart {
  /** Ends the server of an earlier run, which frees its port. */
  readonly clear: () => Promise<void>;
  readonly build: (port: number) => Command | Promise<Command>;
  readonly stopSignal?: NodeJS.Signals;
  /** Resolves when the service responds, on whichever port it then has. */
  readonly wait: (getPort: () => number, log: string) => Promise<void>;
}

/** Starts a service on its own port and waits until it responds. */
async function startService(
  { dataDir, supervisor, onLostPort }: ServiceContext,
  name: ServiceName,
  { clear, build, wait, ...options }: ServiceToStart,
): Promise<{ readonly process: SupervisedProcess; readonly port: number }> {
  await clear();
  const port = await holdPort(dataDir, name, onLostPort);
  const log = path.join(dataDir, `logs/${name}.log`);
  const process = await supervisor.start({
    ...options,
    name,
    role: 'service',
    command: async () => {
      await clear();
      return build(await port.prepare());
    },
    output: logToFile(log),
  });
  await wait(port.get, log);
  port.settle();
  return { process, port: port.get() };
}

/** Starts Redis (or Valkey), and waits until it has loaded its data; the URL holds the password. */
async function startRedis(context: ServiceContext, password: string): Promise<RunningService> {
  const { dataDir, cacheDir, durable, out, signal } = context;
  const folder = path.join(dataDir, 'redis');
  const program = await provideRedis({ cacheDir, out, signal });
  const { process, port } = await startService(context, 'redis', {
    clear: () => clearRedisLeftover(folder),
    build: (own) => buildRedisCommand({ program, folder, port: own, password, durable }),
    wait: async (getPort, log) => {
      const until = Date.now() + TIMEOUT_MS;
      while (!(await pingRedis({ port: getPort(), password }))) {
        signal.throwIfAborted();
        if (Date.now() > until) {
          throw new StackError(`Redis does not respond; its log is ${log}`);
        }
        await sleep(POLL_MS);
      }
    },
  });
  return { process, url: `redis://:${password}@127.0.0.1:${port}` };
}

/** Services that were started here. */
export interface RunningServices {
  readonly postgres?: RunningPostgres;
  readonly redis?: RunningService;
  readonly s3?: RunningS3;
}

/** Starts the named services side by side and waits until all of them respond. */
export async function startServices(
  context: ServiceContext,
  wanted: ReadonlySet<ServiceName>,
  { secrets, s3Access }: { secrets: Secrets; s3Access: S3Access },
): Promise<RunningServices> {
  const [postgres, redis, s3] = await Promise.all([
    wanted.has('postgres') ? startPostgres(context, secrets.postgresPassword) : undefined,
    wanted.has('redis') ? startRedis(context, secrets.redisPassword) : undefined,
    wanted.has('s3') ? startS3Service(context, s3Access) : undefined,
  ]);
  return { ...(postgres && { postgres }), ...(redis && { redis }), ...(s3 && { s3 }) };
}

/** Running PostgreSQL. */
export interface RunningPostgres extends RunningService {
  /** Folder of its files, inside or outside the data folder. */
  readonly folder: string;
}

/** Starts the embedded PostgreSQL, and waits until it responds and has its database; the URL contains the password of the superuser. */
async function startPostgres(context: ServiceContext, password: string): Promise<RunningPostgres> {
  const { dataDir, durable, print, signal } = context;
  const location = chooseLocation(dataDir, findBinaries(env));
  if (location.isOutside) {
    print(`The user of PostgreSQL cannot reach ${dataDir}: the database's files are in ${location.folder}`);
  }
  const clear = () => clearPostgresLeftover(location.cluster);
  await clear();
  const aside = moveForeignCluster(location, password);
  if (aside) {
    print(`A database of an earlier data folder of this name is kept in ${aside}`);
  }
  await initCluster(location, password);
  const getUrl = (port: number): string =>
    `postgresql://postgres:${password}@127.0.0.1:${port}/image_gateway`;
  const { process, port } = await startService(context, 'postgres', {
    clear,
    // Fast shutdown: open connections are ended, everything is written.
    stopSignal: 'SIGINT',
    build: (own) => buildPostgresCommand({ location, port: own, durable }),
    wait: (getPort) => ensureDatabase(() => getUrl(getPort()), signal),
  });
  return { process, url: getUrl(port), folder: location.folder };
}

/** Running object store and its keys. */
export interface RunningS3 extends RunningService {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Bucket and keys of an object store. */
export interface S3Access {
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Starts the object store (MinIO where a program of it is given, else the embedded one) and waits until it responds. */
async function startS3Service(context: ServiceContext, access: S3Access): Promise<RunningS3> {
  const { dataDir, durable, print, signal, graceMs } = context;
  const folder = path.join(dataDir, 's3');
  const parent = { pid: process.pid, lingerMs: graceMs + AFTER_GRACE_MS };
  const minio = findMinio(env);
  const describe = (port: number): S3Description =>
    describeS3({ ...access, folder, port, durable, minio, parent });
  const { note } = describe(0);
  if (note !== null) {
    print(note);
  }
  const running = await startService(context, 's3', {
    clear: () => clearS3Leftovers(folder),
    build: (port) => describe(port).command(),
    wait: (getPort) => waitForS3(() => describe(getPort()), signal),
  });
  const { url, accessKey, secretKey } = describe(running.port);
  return { process: running.process, url, accessKey, secretKey };
}

/** Waits until the object store responds, on whichever port it then has. */
async function waitForS3(describe: () => S3Description, signal: AbortSignal): Promise<void> {
  const until = performance.now() + S3_TIMEOUT_MS;
  for (;;) {
    try {
      return await describe().ready({ timeoutMs: S3_LOOK_MS, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() > until) {
        throw error;
      }
    }
  }
}

/** Dependencies and settings of every embedded service. */
export interface ServiceContext {
  readonly dataDir: string;
  /** Folder for programs that the system lacks; survives the data. */
  readonly cacheDir: string;
  /** False for temporary data, which is faster and does not survive a crash. */
  readonly durable: boolean;
  readonly supervisor: Supervisor;
  readonly out: Output;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  /** Grace period of the apps, which use the services until its end (milliseconds). */
  readonly graceMs: number;
  /** Called with what to do when another program took the port of a service that was down for a moment. */
  readonly onLostPort: (error: StackError) => void;
}

/** Running service and its URL. */
export interface RunningService {
  readonly process: SupervisedProcess;
  readonly url: string;
}
