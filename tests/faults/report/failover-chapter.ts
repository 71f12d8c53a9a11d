import { markdownTable } from './markdown-table.js';
import { findNewest, listResults, type RunSummary } from './run-summary.js';

const HEAD = ['Scenario', 'Fault', 'What must hold', 'Seen', 'Outcome', 'Run'];

/** Returns the chapter about failovers: the newest result of each. */
export function failoverChapter(runs: readonly RunSummary[]): string {
  const results = listResults(runs, ({ name }) => name.endsWith('-failover') || name === 'backup-restore');
  const rows = [...findNewest(results).values()].map(({ run: { seed, commit }, result }) => {
    const { name, fault, outcome, figures, faults } = result;
    return [
      name,
      fault,
      outcome,
      Object.entries(figures)
        .map(([what, n]) => `${what} ${n}`)
        .join('; '),
      faults.length === 0 ? 'held' : faults.join('; '),
      `seed ${seed}, commit ${commit}`,
    ];
  });
  return rows.length === 0 ? '' : `## Failovers and a restore\n\n${TEXT}\n\n${markdownTable(HEAD, rows)}`;
}

const TEXT = `Real servers: a primary of PostgreSQL with a standby behind one TCP address, and two Redis servers with three Sentinels.
Times count from the kill of the primary. Submits come at 30 a second and are not repeated, so those not accepted are the whole cost for clients.
An asynchronous standby lacks the last commits of the primary: tasks that were answered are lost with their charges, and tasks that had ended run again, so that their webhooks come twice,
under another id the second time. Images of lost tasks stay in the bucket. The restore is that of [Backups](backups.md): a dump under load, a copy of the bucket, and new processes on an empty server.`;
