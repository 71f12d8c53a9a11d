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

/** Result of a scenario, with its run. */
export interface RunResult {
  readonly run: RunSummary;
  readonly result: ScenarioResult;
}

/** Returns the wanted results of all runs, the oldest first. */
export function listResults(
  runs: readonly RunSummary[],
  isWanted: (result: ScenarioResult) => boolean,
): readonly RunResult[] {
  return [...runs]
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .flatMap((run) => run.scenarios.filter(isWanted).map((result) => ({ run, result })));
}

/** Returns the newest of some results for each scenario, by its name. */
export const findNewest = (results: readonly RunResult[]): ReadonlyMap<string, RunResult> =>
  new Map(results.map((one) => [one.result.name, one]));

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
