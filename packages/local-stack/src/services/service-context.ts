import type { Output } from '../plain/progress.mjs';
import type { SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';

/** What every embedded service is started with. */
export interface ServiceContext {
  dataDir: string;
  /** Where programs are unpacked that the system lacks; survives the data. */
  cacheDir: string;
  /** False for throw-away data: faster, and lost with the machine. */
  durable: boolean;
  supervisor: Supervisor;
  out: Output;
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface RunningService {
  process: SupervisedProcess;
  url: string;
}
