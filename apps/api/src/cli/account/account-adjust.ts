import { parseSignedDollars } from '@image-gateway/shared/money';
import { adjustAccount } from '../../operations/account/adjust-account.js';
import { showAccount } from '../../operations/account/show-account.js';
import { checkReason } from '../check-reason.js';
import type { CliCommand } from '../cli-command.js';
import { parseAmount } from '../parse-amount.js';
import { renderFields } from '../render-fields.js';

/** `account adjust`: corrects a balance in either direction, once for each reference. */
export const accountAdjust: CliCommand = {
  name: 'account adjust',
  summary: 'Correct a balance by hand, never below what is held; the same reference is booked once',
  arguments: ['ID'],
  options: {
    amount: { value: '±1.00', help: 'dollars to give (1.00) or to take (-1.00)', required: true },
    reason: { value: 'T', help: 'why, for the books', required: true },
    reference: { value: 'R', help: 'a second time with the same one nothing is booked' },
  },
  example: "account adjust acc_… --amount -1.00 --reason 'credited twice'",
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    const deltaMicros = parseAmount('amount', input.option('amount'), parseSignedDollars);
    const reason = checkReason(input.option('reason'));
    const reference = input.optional('reference') ?? null;
    const transfer = { accountId, deltaMicros, reason, reference, actor: 'cli' };
    const { adjusted } = await adjustAccount({ db }, transfer);
    const value = { ...(await showAccount(db, accountId)), adjusted };
    const note = adjusted ? '' : '\n\nThis reference was booked before; nothing has changed.';
    return { value, text: `${renderFields(value)}${note}` };
  },
};
