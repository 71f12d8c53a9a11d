import { Command } from '@commander-js/extra-typings';
import { adjustAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { parseSignedDollars } from '@image-gateway/shared/money';
import { showAccount } from '../../operations/account/show-account.js';
import type { CliRun } from '../cli-context.js';
import { createAmountParser } from '../create-amount-parser.js';
import { formatExample } from '../help.js';
import { parseReason } from '../parse-reason.js';
import { renderFields } from '../render-fields.js';

/** Builds `account adjust`, which corrects a balance in either direction, once per reference. */
export function buildAccountAdjust({ db, prisma, show }: CliRun) {
  return new Command('adjust')
    .description('Correct a balance by hand, never below the held amount; the same reference is booked once')
    .argument('<id>', 'account')
    .requiredOption(
      '--amount <dollars>',
      'amount to add (1.00) or to take away (-1.00)',
      createAmountParser('--amount', parseSignedDollars),
    )
    .requiredOption('--reason <text>', 'reason, for the books', parseReason)
    .option('--reference <text>', 'reference; with one that was booked before, nothing changes')
    .addHelpText('after', formatExample("account adjust acc_… --amount -1.00 --reason 'credited twice'"))
    .action(async (accountId, { amount: deltaMicros, reason, reference = null }) => {
      const transfer = { accountId, deltaMicros, reason, reference, actor: 'cli' };
      const { adjusted } = await adjustAccount({ db: db(), newId }, transfer);
      const value = { ...(await showAccount(await prisma(), accountId)), adjusted };
      const note = adjusted ? '' : '\n\nThis reference was booked before; nothing has changed.';
      show({ value, text: `${renderFields(value)}${note}` });
    });
}
