import { fileURLToPath } from 'node:url';
import { findFreePort } from '../net/free-port.js';
import type { SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';
import type { StackArguments } from '../stack/parse-arguments.js';
import { StackError } from '../stack-error.js';
import type { AppCommand, AppCommands } from './app-commands.js';
import { prefixLines } from './prefix-lines.js';

export interface RunningApp {
  process: SupervisedProcess;
  metricsPorts: number[];
  /** The processes that serve; for everything but a cluster the process itself. */
  pids(): number[];
}

export interface RunningApps {
  api: RunningApp | null;
  generationWorkers: RunningApp[];
  webhookWorkers: RunningApp[];
}

export interface StartAppsOptions {
  supervisor: Supervisor;
  commands: AppCommands;
  counts: StackArguments;
  env: NodeJS.ProcessEnv;
  cwd: string;
  metricsPort: number;
  write: (text: string) => void;
  /** Called with the reason when an app ends by itself before it was ever ready, which no new start would change. */
  onRefusal: (error: StackError) => void;
  isReady: () => boolean;
  onPid: () => void;
}

const clusterFile = fileURLToPath(new URL('./cluster-main.js', import.meta.url));

/** Starts the API and the workers side by side, each with a metrics port of its own, and answers without waiting until they serve. */
export async function startApps(options: StartAppsOptions): Promise<RunningApps> {
  const { supervisor, commands, counts, env, cwd, write } = options;
  const taken = new Set<number>();

  async function metricsPorts(first: number, count: number): Promise<number[]> {
    const ports: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const port = await findFreePort(first, taken);
      taken.add(port);
      ports.push(port);
    }
    return ports;
  }

  async function start(
    name: string,
    { file, args }: AppCommand,
    ports: number[],
    cluster = false,
  ): Promise<RunningApp> {
    let told: number[] = [];
    const process = await supervisor.start({
      name,
      role: 'app',
      output: prefixLines(name, write),
      command: () => ({ file, args, cwd, ipc: cluster, env: { ...env, METRICS_PORT: String(ports[0]) } }),
      onMessage: (message) => {
        told = (message as { pids: number[] }).pids;
        options.onPid();
      },
      onEnd: ({ code }) => {
        if (options.isReady() || !code) return true;
        options.onRefusal(
          new StackError(`${name} could not start (exit code ${code}); what it says stands above.`),
        );
        return false;
      },
    });
    return {
      process,
      metricsPorts: ports,
      pids: () => (cluster ? told : [process.pid()].filter((pid) => pid !== undefined)),
    };
  }

  const several = (name: string, command: AppCommand, ports: number[]): Promise<RunningApp[]> =>
    Promise.all(ports.map((port, n) => start(ports.length > 1 ? `${name}-${n + 1}` : name, command, [port])));

  const apiPorts = await metricsPorts(options.metricsPort, counts.api);
  const workerPorts = await metricsPorts(options.metricsPort + 10, counts.generationWorkers);
  const webhookPorts = await metricsPorts(options.metricsPort + 20, counts.webhookWorkers);
  const node = commands.api.file === globalThis.process.execPath;
  const cluster: AppCommand = {
    file: globalThis.process.execPath,
    args: [clusterFile, ...commands.api.args, ...apiPorts.map(String)],
  };
  if (counts.api > 1 && !node)
    throw new StackError('Several API processes need the compiled program: leave --api away here.');
  const [api, generationWorkers, webhookWorkers] = await Promise.all([
    counts.api === 0 ? null : start('api', counts.api > 1 ? cluster : commands.api, apiPorts, counts.api > 1),
    several('worker', commands.generationWorker, workerPorts),
    several('webhooks', commands.webhookWorker, webhookPorts),
  ]);
  return { api, generationWorkers, webhookWorkers };
}
