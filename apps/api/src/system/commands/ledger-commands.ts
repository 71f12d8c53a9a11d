import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@image-gateway/shared/errors';
import { createProgressReporter } from '../../cli/create-progress-reporter.js';
import { defineCommand, flag, option } from '../../cli/define-command.js';
import { renderTable } from '../../cli/render.js';
import { checkLedger, type LedgerProgress } from '../ledger/check-ledger.js';
import { explainBroken } from '../ledger/explain-broken.js';
import { recountLedger } from '../ledger/recount-ledger.js';

/** Commands `ledger …`. */
export const commands = {
  // Each step of the check takes a snapshot of its own.
  check: defineCommand({
    about: 'Check the invariants of money and task states; exit code 1 when one is broken',
    options: {
      rest: flag('check also the invariants that hold only when no task is pending'),
      from: option('<position>', 'continue after the position of an earlier check, such as task:gen_…'),
    },
    run: async ({ db, projectDir, reportProgress }, { rest, from }) => {
      const invariants = await readFile(join(projectDir, 'prisma/invariants.sql'), 'utf8');
      let position = from;
      const report = createProgressReporter(reportProgress);
      const onProgress = (progress: LedgerProgress): void => {
        position = progress.position;
        report(() => `${progress.done} ${progress.part}s checked (--from ${progress.position})`);
      };
      const check = { invariants, rest, from, onProgress };
      const { checked, broken: found } = await checkLedger({ db: db() }, check).catch((error: unknown) => {
        if (!(error instanceof AppError) || position === undefined || !error.retryable) {
          throw error;
        }
        const publicMessage = `${error.publicMessage} Continue with --from ${position}.`;
        throw new AppError(error.code, { message: error.message, publicMessage, cause: error });
      });
      const broken = await explainBroken(db(), found);
      if (broken.length === 0) {
        return { value: { ok: true, checked, broken: [] }, text: `All ${checked} invariants hold.` };
      }
      const message = `${broken.length} of ${checked} invariants are broken.`;
      const lists = broken.map(
        ({ name, rows, remediation }) => `${name}\n${renderTable(rows)}\n→ ${remediation}`,
      );
      return {
        failed: true,
        value: { error: { code: 'INTERNAL_ERROR', message }, ok: false, checked, broken },
        text: [message, ...lists].join('\n\n'),
      };
    },
  }),
  recount: defineCommand({
    about: 'Rebuild all counters, sums and roll-ups from their rows; money is never changed',
    run: async ({ db, reportProgress }) => {
      reportProgress(
        'Counting every task, call, webhook and usage record. Submits and workers wait meanwhile.',
      );
      const started = Date.now();
      await recountLedger({ db: db() }, { actor: 'cli' });
      const seconds = Math.ceil((Date.now() - started) / 1_000);
      return {
        value: { ok: true, seconds },
        text: `All counters are rebuilt (${seconds} s). Run \`ledger check\` again: what it still names is no counter.`,
      };
    },
  }),
};
