import type { ClosingCheck } from '../closing/close-run.js';
import type { ScenarioResult } from '../scenarios/scenario.js';
import type { SimulationResult } from '../simulation/simulate.js';

/** A whole run of the laboratory. */
export interface RunSummary {
  readonly seed: number;
  readonly commit: string;
  readonly startedAt: string;
  readonly tookSeconds: number;
  /** Processes that wanted a processor in the last minute of the run, as the system counts them; runs of before have none. */
  readonly load?: number;
  readonly tasks: number;
  readonly submissions: number;
  readonly injected: number;
  /** How often the live invariants were checked. */
  readonly liveChecks: number;
  readonly simulation: SimulationResult | null;
  readonly scenarios: readonly ScenarioResult[];
  readonly closing: readonly ClosingCheck[];
  readonly green: boolean;
}

/** Parts of a run from which its summary is computed. */
export type RunParts = Omit<RunSummary, 'tasks' | 'submissions' | 'injected' | 'green'>;

/** Sums a run up. */
export function summarize(parts: RunParts): RunSummary {
  const { scenarios, closing, simulation } = parts;
  const sum = (of: (one: ScenarioResult) => number): number =>
    scenarios.reduce((all, one) => all + of(one), 0);
  return {
    ...parts,
    tasks: sum(({ tasks }) => tasks.completed + tasks.failed),
    submissions: sum(({ submissions: { accepted, refused, unknown } }) => accepted + refused + unknown),
    injected: sum(({ injected }) => injected),
    green:
      scenarios.every(({ faults }) => faults.length === 0) &&
      closing.every(({ faults }) => faults.length === 0) &&
      (simulation?.failed ?? null) === null,
  };
}
