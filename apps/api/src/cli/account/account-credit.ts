import { parseDollars } from '@image-gateway/shared/money';
import { creditAccount } from '../../operations/account/credit-account.js';
import { showAccount } from '../../operations/account/show-account.js';
import { checkReason } from '../check-reason.js';
import type { CliCommand } from '../cli-command.js';
import { parseAmount } from '../parse-amount.js';
import { renderFields } from '../render-fields.js';

/** `account credit`: tops an account up, once for each reference. */
export const accountCredit: CliCommand = {
  name: 'account credit',
  summary: 'Top an account up; the same reference is credited once',
  arguments: ['ID'],
  options: {
    amount: { value: '5.00', help: 'dollars, at most six decimals', required: true },
    reference: { value: 'R', help: 'of the payment; a second time nothing is credited' },
    reason: { value: 'T', help: 'why, for the books' },
  },
  example: 'account credit acc_… --amount 5.00 --reference invoice-17',
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    const amountMicros = parseAmount('amount', input.option('amount'), parseDollars);
    const reference = input.optional('reference') ?? null;
    const given = input.optional('reason');
    const reason = given === undefined ? null : checkReason(given);
    const transfer = { accountId, amountMicros, reason, reference, actor: 'cli' };
    const { credited } = await creditAccount({ db }, transfer);
    const value = { ...(await showAccount(db, accountId)), credited };
    const note = credited ? '' : '\n\nThis reference was credited before; nothing has changed.';
    return { value, text: `${renderFields(value)}${note}` };
  },
};
