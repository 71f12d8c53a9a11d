import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@image-gateway/shared/errors';
import { checkLedger, type LedgerProgress } from '../../operations/system/ledger/check-ledger.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

const PROGRESS_EVERY_MS = 2_000;

/** `ledger check`: the money and state invariants, in steps that each take a snapshot of their own. */
export const ledgerCheck: CliCommand = {
  name: 'ledger check',
  summary: 'Check that money and states agree with each other; exit code 1 when they do not',
  options: {
    rest: { help: 'also what holds only when no task is left pending' },
    from: { value: 'POSITION', help: 'go on where an earlier check stopped, such as task:gen_…' },
  },
  example: 'ledger check',
  run: async (context, input) => {
    const invariants = await readFile(join(context.projectDir, 'prisma/invariants.sql'), 'utf8');
    const db = context.db();
    let position = input.optional('from');
    let toldAt = performance.now();
    const onProgress = (progress: LedgerProgress): void => {
      position = progress.position;
      if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = performance.now();
      context.reportProgress(`${progress.done} ${progress.part}s checked (--from ${progress.position})`);
    };
    const check = { invariants, rest: input.flag('rest'), from: position, onProgress };
    const { checked, broken } = await checkLedger({ db }, check).catch((error: unknown) => {
      if (!(error instanceof AppError) || position === undefined || !error.retryable) throw error;
      const publicMessage = `${error.publicMessage} Go on with --from ${position}.`;
      throw new AppError(error.code, { message: error.message, publicMessage, cause: error });
    });
    if (broken.length === 0)
      return { value: { ok: true, checked, broken: [] }, text: `All ${checked} invariants hold.` };
    const message = `${broken.length} of ${checked} invariants are broken.`;
    const lists = broken.map(({ name, rows }) => `${name}\n${renderTable(rows)}`);
    return {
      failed: true,
      value: { error: { code: 'INTERNAL_ERROR', message }, ok: false, checked, broken },
      text: [message, ...lists].join('\n\n'),
    };
  },
};
