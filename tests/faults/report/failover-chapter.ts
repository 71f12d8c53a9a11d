import type { ScenarioResult } from '../scenarios/scenario.js';
import { markdownTable } from './markdown-table.js';
import type { RunSummary } from './run-summary.js';

const HEAD = ['Scenario', 'Fault', 'What must hold', 'Seen', 'Outcome', 'Run'];

/** Returns the chapter about failovers: the newest result of each. */
export function failoverChapter(runs: readonly RunSummary[]): string {
  const newest = new Map<string, readonly [RunSummary, ScenarioResult]>();
  for (const run of [...runs].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))) {
    for (const result of run.scenarios.filter(
      ({ name }) => name.endsWith('-failover') || name === 'backup-restore',
    )) {
      newest.set(result.name, [run, result]);
    }
  }
  const rows = [...newest.values()].map(([{ seed, commit }, { name, fault, outcome, figures, faults }]) => [
    name,
    fault,
    outcome,
    Object.entries(figures)
      .map(([what, n]) => `${what} ${n}`)
      .join('; '),
    faults.length === 0 ? 'held' : faults.join('; '),
    `seed ${seed}, commit ${commit}`,
  ]);
  return rows.length === 0 ? '' : `## Failovers and a restore\n\n${TEXT}\n\n${markdownTable(HEAD, rows)}`;
}

const TEXT = `Real servers: a primary of PostgreSQL with a standby behind one TCP address, and two Redis servers with three Sentinels.
Times count from the kill of the primary. Submits come at 30 a second and are not repeated, so those not accepted are the whole cost for clients.
An asynchronous standby lacks the last commits of the primary: tasks that were answered are lost with their charges, and tasks that had ended run again, so that their webhooks come twice,
under another id the second time. Images of lost tasks stay in the bucket. The restore is that of [Backups](backups.md): a dump under load, a copy of the bucket, and new processes on an empty server.`;
