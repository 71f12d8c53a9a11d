import { Command } from '@commander-js/extra-typings';
import { createTestAccount } from '@image-gateway/testing';
import { summaryLine } from '../../../scripts/testing/summary-line.mjs';
import { startLaboratory } from '../lab/start-laboratory.js';
import { createRandom } from '../random.js';
import { formatResult } from '../report/format-result.js';
import { recordSecurity } from '../report/record.js';
import { fuzzScenarios } from '../scenarios/fuzz.js';
import { secretScenarios } from '../scenarios/secrets.js';
import { runScenario } from '../scenarios/support/run-scenario.js';
import { auditDependencies } from './audit-dependencies.js';
import { runSchemathesis } from './run-schemathesis.js';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Fuzzes the API with generated requests and with schemathesis, plants secrets, and audits the dependencies. */
async function main(): Promise<number> {
  const values = new Command('npm run test:security --')
    .description('Fuzzes every endpoint, plants secrets, and audits the dependencies.')
    .option('--record', 'writes docs/reliability.md', false)
    .parse()
    .opts();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const seed = Date.now() % 1_000_000;
  const lab = await startLaboratory(stopping.signal);
  const lines: string[] = [];
  const bad: string[] = [];
  let skipped = 0;
  const leaveOut = (what: string, why: string): void => {
    skipped += 1;
    note(false, `${what}: left out, ${why}`);
  };
  const note = (isBad: boolean, line: string): void => {
    if (isBad) {
      bad.push(line);
    }
    lines.push(line);
    say(line);
  };
  try {
    for (const scenario of [...fuzzScenarios, ...secretScenarios]) {
      const result = await runScenario(lab, scenario, createRandom(seed).of(scenario.name));
      note(result.faults.length > 0, formatResult(result));
    }
    const { apiKey } = await createTestAccount(lab.services.database);
    const fuzzed = await runSchemathesis({ url: lab.fleet.apiUrls[0] ?? '', apiKey, seed }, stopping.signal);
    if (!fuzzed.ran) {
      leaveOut('schemathesis', fuzzed.why);
    } else {
      note(
        !fuzzed.passed,
        `schemathesis: ${fuzzed.passed ? 'no answer of 500 or more, none outside its description' : 'found something'}`,
      );
      say(fuzzed.said);
    }
  } finally {
    await lab.stop();
  }
  const { counts, titles } = auditDependencies();
  if (counts === null) {
    leaveOut('dependency audit', 'the registry could not be asked');
  } else {
    const { high = 0, critical = 0 } = counts;
    note(
      high + critical > 0,
      `dependency audit (production): ${JSON.stringify(counts)} ${titles.join('; ')}`,
    );
  }
  if (values.record) {
    recordSecurity(lines);
  }
  const passed = lines.length - bad.length - skipped;
  process.stdout.write(`${summaryLine({ passed, failed: bad.length, skipped })}\n`);
  return bad.length > 0 ? 1 : 0;
}

process.exit(await main());
