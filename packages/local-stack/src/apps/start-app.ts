import type { ChildProcess } from 'node:child_process';
import readline from 'node:readline';
import { findFreePort } from '../net/ports.js';
import type { SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';
import { StackError } from '../stack-error.js';
import type { AppCommand } from './app-commands.js';

/** Running app. */
export interface RunningApp {
  readonly process: SupervisedProcess;
  readonly metricsPorts: number[];
  /** Serving processes: those of a cluster, else the process itself. */
  readonly pids: () => number[];
}

/** Message of a cluster after every change of its processes. */
export interface ClusterReport {
  readonly pids: number[];
  readonly metricsPorts: number[];
}

/** Dependencies and callbacks of every app. */
export interface StartAppContext {
  readonly supervisor: Supervisor;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly write: (text: string) => void;
  /** Called with the reason when an app failed twice before the stack was ready: a third start would not help. */
  readonly onRefusal: (error: StackError) => void;
  readonly isReady: () => boolean;
  readonly onPid: () => void;
}

/** App to start. */
export interface AppToStart {
  readonly name: string;
  readonly command: AppCommand;
  readonly metricsPorts: number[];
  /** Takes the next free port for its metrics when its own is in use. */
  readonly mayMove: boolean;
  /** Reports its processes over a channel, and chooses their ports itself. */
  readonly cluster: boolean;
}

/** Starts one app under supervision; does not wait until it serves. */
export async function startApp(context: StartAppContext, app: AppToStart): Promise<RunningApp> {
  const { name, command, metricsPorts, cluster } = app;
  let reported: number[] = [];
  let faults = 0;
  const process = await context.supervisor.start({
    name,
    role: 'app',
    output: prefixLines(name, context.write),
    async command() {
      if (app.mayMove && !cluster) {
        metricsPorts[0] = await findFreePort(metricsPorts[0]);
      }
      return {
        ...command,
        cwd: context.cwd,
        ipc: cluster,
        env: { ...command.env, ...context.env, METRICS_PORT: String(metricsPorts[0]) },
      };
    },
    onMessage(message) {
      const report = message as ClusterReport;
      reported = report.pids;
      metricsPorts.splice(0, metricsPorts.length, ...report.metricsPorts);
      context.onPid();
    },
    onEnd({ code }) {
      if (context.isReady() || !code) {
        return true;
      }
      faults += 1;
      if (faults < 2) {
        return true;
      }
      context.onRefusal(
        new StackError(`${name} could not start (exit code ${code}); its output above names the reason.`),
      );
      return false;
    },
  });
  return {
    process,
    metricsPorts,
    pids: () => (cluster ? reported : [process.pid()].filter((pid) => pid !== undefined)),
  };
}

/** Writes the output of an app line by line with the name of the app as prefix. */
function prefixLines(name: string, write: (text: string) => void): (child: ChildProcess) => void {
  const prefix = `${name.padEnd(14)}| `;
  return (child) => {
    for (const input of [child.stdout, child.stderr]) {
      if (input) {
        readline
          .createInterface({ input, crlfDelay: Infinity })
          .on('line', (line) => write(`${prefix}${line}\n`));
      }
    }
  };
}
