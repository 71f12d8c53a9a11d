import type { Output } from '../../../../scripts/process/progress.mjs';
import type { SupervisedProcess } from '../process/supervise.js';
import type { Supervisor } from '../process/supervisor.js';

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
}

/** Running service and its URL. */
export interface RunningService {
  readonly process: SupervisedProcess;
  readonly url: string;
}
