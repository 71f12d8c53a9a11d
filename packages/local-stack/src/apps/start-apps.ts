import { fileURLToPath } from 'node:url';
import { findFreePort } from '../net/ports.js';
import { StackError } from '../stack-error.js';
import type { AppCommand, AppCommands } from './app-commands.js';
import { type RunningApp, type StartAppContext, startApp } from './start-app.js';

/** Apps that were started. */
export interface RunningApps {
  readonly api: RunningApp | null;
  readonly generationWorkers: RunningApp[];
  readonly webhookWorkers: RunningApp[];
}

/** Number of processes of each kind; 0 is allowed. */
export interface AppCounts {
  readonly api: number;
  readonly generationWorkers: number;
  readonly webhookWorkers: number;
}

/** Apps to start and their ports. */
export interface StartAppsOptions extends StartAppContext {
  readonly commands: AppCommands;
  readonly counts: AppCounts;
  readonly metricsPort: number;
  /** Takes the next free ports for the metrics of the API when these are in use. */
  readonly mayMoveApi: boolean;
}

const CLUSTER_FILE = fileURLToPath(new URL('./cluster-main.js', import.meta.url));

function buildClusterCommand(
  { file, args }: AppCommand,
  metricsPorts: number[],
  mayMove: boolean,
): AppCommand {
  if (file !== process.execPath) {
    throw new StackError('Several API processes need the compiled program: remove --api.');
  }
  return { file, args: [CLUSTER_FILE, metricsPorts.join(), mayMove ? 'move' : 'stay', ...args] };
}

/** Starts the API and the workers side by side, each with a metrics port of its own; does not wait until they serve. */
export async function startApps(options: StartAppsOptions): Promise<RunningApps> {
  const { commands, counts, metricsPort, mayMoveApi } = options;
  const taken = new Set<number>();

  async function freePorts(first: number, count: number): Promise<number[]> {
    const ports: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const port = await findFreePort(first, taken);
      taken.add(port);
      ports.push(port);
    }
    return ports;
  }

  const withoutEncryption: NodeJS.ProcessEnv = { ...options.env, ENCRYPTION_KEY: '' };
  const workers = (
    name: string,
    command: AppCommand,
    ports: number[],
    env: NodeJS.ProcessEnv = options.env,
  ): Promise<RunningApp[]> =>
    Promise.all(
      ports.map((port, n) => {
        const own = ports.length > 1 ? `${name}-${n + 1}` : name;
        return startApp(
          { ...options, env },
          { name: own, command, metricsPorts: [port], mayMove: true, cluster: false },
        );
      }),
    );

  const apiPorts = await freePorts(metricsPort, counts.api);
  const workerPorts = await freePorts(metricsPort + 10, counts.generationWorkers);
  const webhookPorts = await freePorts(metricsPort + 20, counts.webhookWorkers);
  const cluster = counts.api > 1;
  const api = {
    name: 'api',
    command: cluster ? buildClusterCommand(commands.api, apiPorts, mayMoveApi) : commands.api,
    metricsPorts: apiPorts,
    mayMove: mayMoveApi,
    cluster,
  };
  const [runningApi, generationWorkers, webhookWorkers] = await Promise.all([
    counts.api === 0 ? null : startApp(options, api),
    workers('worker', commands.generationWorker, workerPorts),
    workers('webhooks', commands.webhookWorker, webhookPorts, withoutEncryption),
  ]);
  return { api: runningApi, generationWorkers, webhookWorkers };
}
