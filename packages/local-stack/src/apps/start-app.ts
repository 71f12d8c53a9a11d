import { findFreePort } from '../net/free-port.js';
import type { SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';
import { StackError } from '../stack-error.js';
import type { AppCommand } from './app-commands.js';
import { prefixLines } from './prefix-lines.js';

export interface RunningApp {
  process: SupervisedProcess;
  metricsPorts: number[];
  /** The processes that serve; for everything but a cluster the process itself. */
  pids(): number[];
}

export interface StartAppContext {
  supervisor: Supervisor;
  env: NodeJS.ProcessEnv;
  cwd: string;
  write: (text: string) => void;
  /** Called with the reason when an app ends with a fault, twice, before everything was ever ready: no third start would change that. */
  onRefusal: (error: StackError) => void;
  isReady: () => boolean;
  onPid: () => void;
}

export interface AppToStart {
  name: string;
  command: AppCommand;
  metricsPorts: number[];
  /** Takes the next free port for its metrics when somebody else has taken the one it had. */
  mayMove: boolean;
  /** Says over a channel which processes it has. */
  cluster: boolean;
}

/** Starts one app under supervision and answers without waiting until it serves. */
export async function startApp(context: StartAppContext, app: AppToStart): Promise<RunningApp> {
  const { name, command, metricsPorts, cluster } = app;
  let told: number[] = [];
  let faults = 0;
  const process = await context.supervisor.start({
    name,
    role: 'app',
    output: prefixLines(name, context.write),
    async command() {
      if (app.mayMove) metricsPorts[0] = await findFreePort(metricsPorts[0]);
      return {
        ...command,
        cwd: context.cwd,
        ipc: cluster,
        env: { ...context.env, METRICS_PORT: String(metricsPorts[0]) },
      };
    },
    onMessage(message) {
      told = (message as { pids: number[] }).pids;
      context.onPid();
    },
    onEnd({ code }) {
      if (context.isReady() || !code) return true;
      faults += 1;
      if (faults < 2) return true;
      context.onRefusal(
        new StackError(`${name} could not start (exit code ${code}); what it says stands above.`),
      );
      return false;
    },
  });
  return {
    process,
    metricsPorts,
    pids: () => (cluster ? told : [process.pid()].filter((pid) => pid !== undefined)),
  };
}
