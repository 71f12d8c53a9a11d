import { findAccount } from '../../operations/account/find-account.js';
import { presentAccount } from '../../operations/account/present-account.js';
import { presentSecrets } from '../../operations/webhook/present-secrets.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `account show`: one account with its log-ins, and with `--secrets` what signs its webhooks. */
export const accountShow: CliCommand = {
  name: 'account show',
  summary: 'Show an account: status, money, counts, log-ins',
  arguments: ['ID'],
  options: { secrets: { help: 'also show the webhook secrets' } },
  example: 'account show acc_…',
  run: async (context, input) => {
    const account = await findAccount(context.db(), input.argument(0));
    const { secret, previous, previous_until } = presentSecrets(account);
    const value = {
      ...presentAccount(account),
      users: account.users.map(({ user }) => user.email),
      webhook_secret_previous_until: previous_until,
      ...(input.flag('secrets') && { webhook_secret: secret, webhook_secret_previous: previous }),
    };
    return { value, text: renderFields({ ...value, users: value.users.join(', ') }) };
  },
};
