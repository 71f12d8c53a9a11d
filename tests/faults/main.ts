import { startLaboratory } from './lab/start-laboratory.js';
import { readOptions } from './options.js';
import { createRandom } from './random.js';
import { lineOf } from './report/line-of.js';
import { scenariosFor } from './scenarios/index.js';
import { runScenario } from './scenarios/run-scenario.js';
import type { ScenarioResult } from './scenarios/scenario.js';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const random = createRandom(options.seed);
  say(`Seed ${options.seed}`);
  const lab = await startLaboratory(stopping.signal);
  const results: ScenarioResult[] = [];
  try {
    for (const scenario of scenariosFor(options, random)) {
      if (stopping.signal.aborted) break;
      const result = await runScenario(lab, scenario, random.of(scenario.name));
      results.push(result);
      say(lineOf(result));
    }
  } finally {
    say(JSON.stringify(lab.log.faults(), null, 1));
    say(lab.log.samples().join('\n'));
    say(lab.invariants.broken().join('\n'));
    await lab.stop();
  }
  return results.some(({ faults }) => faults.length > 0) || lab.invariants.broken().length > 0 ? 1 : 0;
}

process.exitCode = await main();
