import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import {
  countExpiredTasks,
  type Database,
  type ErasureTerms,
  type ExpiredTasks,
  eraseExpiredTasks,
} from '@image-gateway/shared/db';
import { createProgressReporter } from '../../cli/create-progress-reporter.js';
import { defineCommand, fields, flag } from '../../cli/define-command.js';
import { renderFields, renderTable } from '../../cli/render.js';

/** Command `retention run`, which erases at once what the sweep of the workers would erase within RETENTION_SWEEP_MS. */
export const commands = {
  run: defineCommand({
    about:
      'Erase finished tasks that are older than their retention; workers then remove their images. What they cost stays in the books',
    options: { dryRun: flag('show what would be erased') },
    example: '--dry-run',
    run: async ({ db, env, reportProgress }, { dryRun }) => {
      const { RETENTION_DAYS } = loadSettings({ RETENTION_DAYS: sharedSettings.RETENTION_DAYS }, env);
      const stop = new AbortController();
      const abort = (): void => stop.abort();
      process.once('SIGINT', abort);
      const terms = { days: RETENTION_DAYS ?? null, signal: stop.signal };
      try {
        if (dryRun) {
          return await plan(db(), terms);
        }
        let tasks = 0;
        const report = createProgressReporter(reportProgress);
        for await (const step of eraseExpiredTasks(db(), terms)) {
          tasks += step.tasks;
          const waiting = step.isWaiting ? ', waiting for the workers to remove their images' : '';
          report(() => `${tasks} tasks erased${waiting}`);
        }
        return fields({ dry_run: false, tasks });
      } finally {
        process.off('SIGINT', abort);
      }
    },
  }),
};

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
