import { creditAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';
import type { CliCommand } from '../cli-command.js';
import { parseAmount } from '../parse-amount.js';
import { renderFields } from '../render-fields.js';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** `account credit`: tops an account up, once for each reference. */
export const accountCredit: CliCommand = {
  name: 'account credit',
  summary: 'Top an account up; the same reference is credited once',
  arguments: ['ID'],
  options: {
    amount: { value: '5.00', help: 'dollars, at most six decimals', required: true },
    reference: { value: 'R', help: 'of the payment; a second time nothing is credited' },
  },
  example: 'account credit acc_… --amount 5.00 --reference invoice-17',
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    const amountMicros = parseAmount('amount', input.option('amount'), parseDollars);
    const reference = input.optional('reference');
    const audit = { actor: 'cli', amount: formatDollars(amountMicros), reference: reference ?? null };
    const { credited } = await creditAccount(
      { db, newId },
      { accountId, amountMicros, audit, ...(reference !== undefined && { reference }) },
    );
    const value = { ...presentAccount(await findAccount(db, accountId)), credited };
    const note = credited ? '' : '\n\nThis reference was credited before; nothing has changed.';
    return { value, text: `${renderFields(value)}${note}` };
  },
};
