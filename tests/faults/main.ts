import os from 'node:os';
import { findPgBouncer } from '@image-gateway/testing';
import { summaryLine } from '../../scripts/testing/summary-line.mjs';
import { closeRun } from './closing/close-run.js';
import { findPrometheus } from './lab/alerts/find-prometheus.js';
import { startFailoverServices } from './lab/failover/start-failover-services.js';
import { startLaboratory } from './lab/start-laboratory.js';
import { startPooledServices } from './lab/start-pooled-services.js';
import { type Options, readOptions } from './options.js';
import { createRandom } from './random.js';
import { formatResult } from './report/format-result.js';
import { readCommit } from './report/read-commit.js';
import { record } from './report/record.js';
import { type RunSummary, summarize } from './report/run-summary.js';
import { scenariosFor, soakScenario } from './scenarios/index.js';
import type { Scenario, ScenarioResult } from './scenarios/scenario.js';
import { runScenario } from './scenarios/support/run-scenario.js';
import { openStage } from './simulation/open-stage.js';
import { type SimulationResult, simulate } from './simulation/simulate.js';

const SIMULATION_MS = 60_000;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function runSimulation({ seed }: Options): Promise<SimulationResult> {
  const stage = await openStage();
  try {
    const result = await simulate(stage, { seed: seed * 100_000, forMs: SIMULATION_MS, most: 5_000 });
    const failed =
      result.failed && ` FAILED at seed ${result.failed.seed}: ${result.failed.faults.join('\n')}`;
    say(`simulation: ${result.histories} histories${failed ?? ''}`);
    return result;
  } finally {
    await stage.close();
  }
}

const isPooled = (lab: Scenario['lab']): lab is 'session' | 'transaction' =>
  lab === 'session' || lab === 'transaction';

/** Returns whether a scenario needs a Prometheus, which alone sees alerts, or a PgBouncer, and there is none. */
const isLeftOut = ({ alerts, lab }: Scenario): boolean =>
  ((alerts?.fire ?? []).length > 0 && findPrometheus() === null) ||
  (isPooled(lab) && findPgBouncer() === undefined);

/** Returns the line that .ci/long sums up. */
function describeCounts(options: Options, { scenarios, closing, simulation }: RunSummary): string {
  const skipped = scenariosFor(options, createRandom(options.seed)).filter(isLeftOut).length;
  if (skipped > 0) {
    say(`Left out: ${skipped} scenarios, for lack of Prometheus or PgBouncer.`);
  }
  const outcomes = [
    ...[...scenarios, ...closing].map(({ faults }) => faults.length === 0),
    ...(simulation === null ? [] : [simulation.failed === null]),
  ];
  const passed = outcomes.filter((isGreen) => isGreen).length;
  return summaryLine({ passed, failed: outcomes.length - passed, skipped });
}

/** Yields all scenarios once; with a soak, random ones as well until the time is over. */
function* listScenarios(options: Options): Generator<Scenario> {
  const random = createRandom(options.seed);
  const until = Date.now() + (options.soakMinutes ?? 0) * 60_000;
  yield* scenariosFor(options, random).filter((one) => one.lab === undefined && !isLeftOut(one));
  for (let number = 1; Date.now() < until; number += 1) {
    yield soakScenario(number);
  }
}

/** Runs the scenarios that need services of another kind, each in a laboratory of its own. */
async function runOwnLabs(options: Options, signal: AbortSignal): Promise<ScenarioResult[]> {
  const random = createRandom(options.seed);
  const results: ScenarioResult[] = [];
  for (const scenario of scenariosFor(options, random)) {
    if (signal.aborted) {
      break;
    }
    const { lab: kind } = scenario;
    if (kind === undefined || isLeftOut(scenario)) {
      continue;
    }
    const lab = await startLaboratory(signal, {}, (until) =>
      isPooled(kind) ? startPooledServices(until, kind) : startFailoverServices(until, kind),
    );
    try {
      const result = await runScenario(lab, scenario, random.of(scenario.name));
      results.push(result);
      say(formatResult(result));
    } finally {
      await lab.stop();
    }
  }
  return results;
}

async function run(options: Options, signal: AbortSignal): Promise<RunSummary | null> {
  const startedAt = new Date().toISOString();
  const begun = performance.now();
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const scenarios = await runOwnLabs(options, signal);
  const lab = await startLaboratory(signal);
  try {
    const random = createRandom(options.seed);
    for (const scenario of listScenarios(options)) {
      const result = await Promise.race([runScenario(lab, scenario, random.of(scenario.name)), stopped]);
      if (result === null) {
        return null;
      }
      scenarios.push(result);
      say(formatResult(result));
    }
    const closing = await Promise.race([closeRun(lab), stopped]);
    if (closing === null) {
      return null;
    }
    for (const { what, faults } of closing) {
      say(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what} ${faults.join('\n     ')}`);
    }
    if (closing.some(({ faults }) => faults.length > 0)) {
      say(lab.log.samples().join('\n'));
    }
    const simulation = options.only.length > 0 ? null : await Promise.race([runSimulation(options), stopped]);
    return summarize({
      seed: options.seed,
      commit: readCommit(),
      startedAt,
      simulation,
      scenarios,
      closing,
      tookSeconds: Math.round((performance.now() - begun) / 1_000),
      load: os.loadavg()[0] ?? 0,
      liveChecks: lab.invariants.rounds(),
    });
  } finally {
    await lab.stop();
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort());
  }
  say(`Seed ${options.seed}`);
  const summary = await run(options, stopping.signal);
  if (summary === null) {
    return 130;
  }
  const { tasks, injected, liveChecks, tookSeconds, green } = summary;
  say(
    `${green ? 'GREEN' : 'RED'}: ${tasks} tasks, ${injected} faults, ${liveChecks} live checks, ${tookSeconds} s, seed ${summary.seed}`,
  );
  say(describeCounts(options, summary));
  if (options.json) {
    process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  }
  if (options.record) {
    record(summary);
  }
  return green ? 0 : 1;
}

// A scenario that was cut off may still wait for something.
process.exit(await main());
