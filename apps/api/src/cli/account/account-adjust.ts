import { adjustAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseSignedDollars } from '@image-gateway/shared/money';
import { checkReason } from '../check-reason.js';
import type { CliCommand } from '../cli-command.js';
import { parseAmount } from '../parse-amount.js';
import { renderFields } from '../render-fields.js';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** `account adjust`: corrects a balance in either direction. */
export const accountAdjust: CliCommand = {
  name: 'account adjust',
  summary: 'Correct a balance by hand, never below what is held',
  arguments: ['ID'],
  options: {
    amount: { value: '±1.00', help: 'dollars to give (1.00) or to take (-1.00)', required: true },
    reason: { value: 'T', help: 'why, for the books', required: true },
  },
  example: "account adjust acc_… --amount -1.00 --reason 'credited twice'",
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    const deltaMicros = parseAmount('amount', input.option('amount'), parseSignedDollars);
    const reason = checkReason(input.option('reason'));
    const audit = { actor: 'cli', amount: formatDollars(deltaMicros), reason };
    await adjustAccount({ db, newId }, { accountId, deltaMicros, reason, audit });
    const value = presentAccount(await findAccount(db, accountId));
    return { value, text: renderFields(value) };
  },
};
