import { Command } from '@commander-js/extra-typings';
import { setAccountStatus } from '../../operations/account/set-account-status.js';
import { showAccount } from '../../operations/account/show-account.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `account suspend`, which refuses new requests of an account; accepted tasks continue. */
export function buildAccountSuspend(run: CliRun) {
  const description = 'Suspend an account: new requests are refused, accepted tasks continue';
  return buildStatusCommand(run, { verb: 'suspend', status: 'suspended', description });
}

/** Builds `account resume`, which lets a suspended account send requests again. */
export function buildAccountResume(run: CliRun) {
  return buildStatusCommand(run, {
    verb: 'resume',
    status: 'active',
    description: 'Resume a suspended account',
  });
}

function buildStatusCommand(
  { db, prisma, show }: CliRun,
  { verb, status, description }: { verb: string; status: 'suspended' | 'active'; description: string },
) {
  return new Command(verb)
    .description(description)
    .argument('<id>', 'account')
    .addHelpText('after', formatExample(`account ${verb} acc_…`))
    .action(async (accountId) => {
      await setAccountStatus({ db: db() }, { accountId, status, actor: 'cli' });
      const value = await showAccount(await prisma(), accountId);
      show({ value, text: renderFields(value) });
    });
}
