import type { ScenarioResult } from '../scenarios/scenario.js';
import { markdownTable } from './markdown-table.js';
import { findNewest, listResults, type RunSummary } from './run-summary.js';
import { BEFORE, TESTED_ATTACKS } from './tenant-history.js';

const HEAD = [
  'Scenario',
  'What one account does',
  'Worst delay of another',
  'What it gets',
  'Before',
  'Outcome',
  'Run',
];

/** Returns the chapter about accounts that harm others: per scenario its newest result and the number of kept runs in which it failed. */
export function tenantChapter(runs: readonly RunSummary[]): string {
  const all = listResults(runs, ({ tenants }) => Boolean(tenants));
  const rows = [...findNewest(all).values()]
    .sort((a, b) => (a.result.name < b.result.name ? -1 : 1))
    .map(({ run, result }) =>
      buildRow(
        run,
        result,
        all.map((one) => one.result).filter(({ name }) => name === result.name),
      ),
    );
  const text = `## What one tenant can do to another

In these scenarios the fault is the doing of one account, and another one works beside it. "Worst delay" is the slowest of the
other account's requests, tasks or webhooks, whichever the scenario measures. Processes share the machine with whatever else
runs there: the load is that of the end of the run. "Before" is what the same attack did to commit e440491, measured by hand
on two cores, often with other numbers of accounts, jobs or images; "-" where it was not tried.`;
  const scenarios = rows.length > 0 ? markdownTable(HEAD, rows) : 'No run is kept.';
  return `${text}\n\n${scenarios}\n\nTests show these:\n\n${testedTable()}`;
}

function testedTable(): string {
  return markdownTable(
    ['What one account or a stranger does', 'Before', 'Now', 'Test'],
    TESTED_ATTACKS.map(({ attack, before, now, file, title }) => [
      attack,
      before,
      now,
      `\`${file}\`: ${title}`,
    ]),
  );
}

function buildRow(
  { seed, commit, load }: RunSummary,
  { name, fault, tenants, figures, faults }: ScenarioResult,
  kept: readonly ScenarioResult[],
): string[] {
  const figure = (what: string): string => `${what} ${figures[what] ?? 'not measured'}`;
  const broken = kept.filter((one) => one.faults.length > 0).length;
  const history = broken > 0 && faults.length === 0 ? `; not in ${broken} of ${kept.length} kept runs` : '';
  const machine = load === undefined ? '' : `, load ${load.toFixed(1)}`;
  return [
    name,
    fault,
    tenants ? figure(tenants.worstMs) : '',
    tenants?.cost.map(figure).join('; ') ?? '',
    BEFORE[name] ?? '-',
    (faults.length === 0 ? 'held' : faults.join('; ')) + history,
    `seed ${seed}, commit ${commit}${machine}`,
  ];
}
