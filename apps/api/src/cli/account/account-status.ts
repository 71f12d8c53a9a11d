import { Command } from '@commander-js/extra-typings';
import { setAccountStatus } from '../../operations/account/set-account-status.js';
import { showAccount } from '../../operations/account/show-account.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { parseReason } from '../parse-reason.js';
import { renderFields } from '../render-fields.js';

/** Builds `account suspend`, which refuses new requests of an account; accepted tasks continue. */
export function buildAccountSuspend({ db, prisma, show }: CliRun) {
  return new Command('suspend')
    .description(
      'Suspend an account: new requests are refused, accepted tasks continue, its owner can still look',
    )
    .argument('<id>', 'account')
    .option('--reason <text>', 'why; its owner sees it', parseReason)
    .addHelpText('after', formatExample("account suspend acc_… --reason 'invoice 17 is unpaid'"))
    .action(async (accountId, { reason = null }) => {
      await setAccountStatus({ db: db() }, { accountId, status: 'suspended', reason, actor: 'cli' });
      const value = await showAccount(await prisma(), accountId);
      show({ value, text: renderFields(value) });
    });
}

/** Builds `account resume`, which lets a suspended account send requests again. */
export function buildAccountResume({ db, prisma, show }: CliRun) {
  return new Command('resume')
    .description('Resume a suspended account')
    .argument('<id>', 'account')
    .addHelpText('after', formatExample('account resume acc_…'))
    .action(async (accountId) => {
      await setAccountStatus({ db: db() }, { accountId, status: 'active', actor: 'cli' });
      const value = await showAccount(await prisma(), accountId);
      show({ value, text: renderFields(value) });
    });
}
