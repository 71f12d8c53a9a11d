import type { KeySource } from '../../catalog/document/index.js';
import type { WorkerReport as WorkerReportModel } from '../generated/client.js';

/** How a candidate of the routing table stands in one worker. */
export interface CandidateReport {
  readonly provider: string;
  readonly model: string;
  readonly circuit: 'closed' | 'open' | 'half-open';
  /** Cooldown of the candidate after a rate limit in milliseconds, for each key by its fingerprint; 0 entries are left out. */
  readonly pausedMs: Readonly<Record<string, number>>;
  /** Fingerprints of keys that were refused or have no credit left; they are tried last. */
  readonly keysSetAside: readonly string[];
  /** True if the whole candidate is tried last: its model is gone, or its provider does not serve us. */
  readonly setAside: boolean;
  /** Calls under way. */
  readonly running: number;
}

/** Report of a worker about itself. */
export interface WorkerReport extends Readonly<Pick<WorkerReportModel, 'id' | 'host' | 'pid'>> {
  readonly service: 'generation-worker' | 'webhook-worker';
  readonly report: {
    /** Version of its release; absent in reports of 0.2.0 and earlier. */
    readonly version?: string;
    /** Dollars that the calls of all providers may cost in a UTC day; absent without such a ceiling. */
    readonly maxCostDay?: string;
    readonly candidates?: readonly CandidateReport[];
    /** Names of the providers that it calls: those of its environment, and the catalog's instances whose keys it has. */
    readonly providers?: readonly string[];
    /** Models that its sandbox draws because these providers do not: all, the built-in ones, or none; absent in reports of earlier releases. */
    readonly sandboxServesRest?: boolean | 'built-in';
    /** Providers that take keys: where this worker calls them, and where it has the keys from. Absent in reports of 0.2.0 and earlier. */
    readonly keys?: Readonly<Record<string, KeySource>>;
  };
}
