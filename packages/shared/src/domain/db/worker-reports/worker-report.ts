import type { WorkerReport as WorkerReportModel } from '../generated/client.js';

/** How a candidate of the routing table stands in one worker. */
export interface CandidateReport {
  readonly provider: string;
  readonly model: string;
  readonly circuit: 'closed' | 'open' | 'half-open';
  /** Milliseconds that the candidate rests after a rate limit, for each key by its fingerprint; 0 entries are left out. */
  readonly pausedMs: Readonly<Record<string, number>>;
  /** Fingerprints of keys that were refused or have no money left, and are asked last. */
  readonly keysSetAside: readonly string[];
  /** Whether the whole candidate is asked last: its model is gone, or its provider does not serve us. */
  readonly setAside: boolean;
  /** Calls under way. */
  readonly running: number;
}

/** What a worker says about itself. */
export interface WorkerReport extends Readonly<Pick<WorkerReportModel, 'id' | 'host' | 'pid'>> {
  readonly service: 'generation-worker' | 'webhook-worker';
  readonly report: { readonly candidates?: readonly CandidateReport[] };
}
