import { Command } from '@commander-js/extra-typings';
import { findAccount } from '../../operations/account/find-account.js';
import { presentAccount } from '../../operations/account/present-account.js';
import { presentSecrets } from '../../operations/webhook/present-secrets.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `account show`, which shows an account with its users, and with `--secrets` its webhook secrets. */
export function buildAccountShow({ prisma, show }: CliRun) {
  return new Command('show')
    .description('Show an account: status, money, counts and users')
    .argument('<id>', 'account')
    .option('--secrets', 'show the webhook secrets as well')
    .addHelpText('after', formatExample('account show acc_…'))
    .action(async (id, { secrets = false }) => {
      const account = await findAccount(await prisma(), id);
      const { secret, previous, previous_until } = presentSecrets(account);
      const value = {
        ...presentAccount(account),
        users: account.users.map(({ user }) => user.email),
        webhook_secret_previous_until: previous_until,
        ...(secrets && { webhook_secret: secret, webhook_secret_previous: previous }),
      };
      show({ value, text: renderFields({ ...value, users: value.users.join(', ') }) });
    });
}
