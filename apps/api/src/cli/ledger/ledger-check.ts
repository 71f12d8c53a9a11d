import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLedger } from '../../commands/check-ledger.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

/** `ledger check`: the money and state invariants, in one snapshot. */
export const ledgerCheck: CliCommand = {
  name: 'ledger check',
  summary: 'Check that money and states agree with each other; exit code 1 when they do not',
  options: { rest: { help: 'also what holds only when no task is left pending' } },
  example: 'ledger check',
  run: async (context, input) => {
    const invariants = await readFile(join(context.projectDir, 'prisma/invariants.sql'), 'utf8');
    const db = context.db();
    const { checked, broken } = await checkLedger({ db }, { invariants, rest: input.flag('rest') });
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
