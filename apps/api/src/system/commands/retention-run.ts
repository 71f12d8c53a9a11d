import { Command } from '@commander-js/extra-typings';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import {
  countExpiredTasks,
  type Database,
  type ErasureTerms,
  type ExpiredTasks,
  eraseExpiredTasks,
} from '@image-gateway/shared/db';
import type { CliRun } from '../../cli/cli-context.js';
import { createProgressReporter } from '../../cli/create-progress-reporter.js';
import { formatExample } from '../../cli/help.js';
import { renderFields } from '../../cli/render-fields.js';
import { renderTable } from '../../cli/render-table.js';

/** Builds `retention run`, which erases at once what the sweep of the workers would erase within RETENTION_SWEEP_MS. */
export function buildRetentionRun({ db, env, reportProgress, show }: CliRun) {
  return new Command('run')
    .description(
      'Erase finished tasks that are older than their retention; workers then remove their images. What they cost stays in the books',
    )
    .option('--dry-run', 'show what would be erased')
    .addHelpText('after', formatExample('retention run --dry-run'))
    .action(async ({ dryRun = false }) => {
      const { RETENTION_DAYS } = loadSettings({ RETENTION_DAYS: sharedSettings.RETENTION_DAYS }, env);
      const stop = new AbortController();
      const abort = (): void => stop.abort();
      process.once('SIGINT', abort);
      const terms = { days: RETENTION_DAYS ?? null, signal: stop.signal };
      try {
        if (dryRun) {
          show(await plan(db(), terms));
          return;
        }
        let tasks = 0;
        const report = createProgressReporter(reportProgress);
        for await (const step of eraseExpiredTasks(db(), terms)) {
          tasks += step.tasks;
          const waiting = step.isWaiting ? ', waiting for the workers to remove their images' : '';
          report(() => `${tasks} tasks erased${waiting}`);
        }
        const value = { dry_run: false, tasks };
        show({ value, text: renderFields(value) });
      } finally {
        process.off('SIGINT', abort);
      }
    });
}

async function plan(db: Database, terms: ErasureTerms) {
  const accounts: ExpiredTasks[] = [];
  for await (const account of countExpiredTasks(db, terms)) {
    accounts.push(account);
  }
  const rows = accounts.map(({ accountId, days, ...counts }) => ({
    id: accountId,
    retention_days: days,
    ...counts,
  }));
  const sum = (name: 'tasks' | 'images' | 'bytes'): number =>
    rows.reduce((total, row) => total + row[name], 0);
  const totals = { dry_run: true, tasks: sum('tasks'), images: sum('images'), bytes: sum('bytes') };
  const text =
    rows.length > 0 ? `${renderTable(rows)}\n\n${renderFields(totals)}` : 'Nothing would be erased.';
  return { value: { ...totals, accounts: rows }, text };
}
