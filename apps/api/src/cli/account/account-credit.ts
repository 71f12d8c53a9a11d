import { Command } from '@commander-js/extra-typings';
import { creditAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { parseDollars } from '@image-gateway/shared/money';
import { showAccount } from '../../operations/account/show-account.js';
import type { CliRun } from '../cli-context.js';
import { createAmountParser } from '../create-amount-parser.js';
import { formatExample } from '../help.js';
import { parseReason } from '../parse-reason.js';
import { renderFields } from '../render-fields.js';

/** Builds `account credit`, which tops up an account, once per reference. */
export function buildAccountCredit({ db, prisma, show }: CliRun) {
  return new Command('credit')
    .description('Credit a payment to an account; the same reference is credited once')
    .argument('<id>', 'account')
    .requiredOption(
      '--amount <dollars>',
      'amount with at most six decimals, such as 5.00',
      createAmountParser('--amount', parseDollars),
    )
    .option(
      '--reference <text>',
      'reference of the payment; with one that was credited before, nothing changes',
    )
    .option('--reason <text>', 'reason, for the books', parseReason)
    .addHelpText('after', formatExample('account credit acc_… --amount 5.00 --reference invoice-17'))
    .action(async (accountId, { amount: amountMicros, reference = null, reason = null }) => {
      const payment = { accountId, amountMicros, reason, reference, actor: 'cli' };
      const { credited } = await creditAccount({ db: db(), newId }, payment);
      const value = { ...(await showAccount(await prisma(), accountId)), credited };
      const note = credited ? '' : '\n\nThis reference was credited before; nothing has changed.';
      show({ value, text: `${renderFields(value)}${note}` });
    });
}
