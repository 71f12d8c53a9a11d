import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** `account show`: one account with its log-ins, and with `--secrets` what signs its webhooks. */
export const accountShow: CliCommand = {
  name: 'account show',
  summary: 'Show an account: status, money, counts, log-ins',
  arguments: ['ID'],
  options: { secrets: { help: 'also show the webhook secrets' } },
  example: 'account show acc_…',
  run: async (context, input) => {
    const account = await findAccount(context.db(), input.argument(0));
    const until = account.webhookSecretPreviousUntil;
    const isRotating = until !== null && until.getTime() > Date.now();
    const value = {
      ...presentAccount(account),
      users: account.users.map(({ user }) => user.email),
      webhook_secret_previous_until: isRotating ? until.toISOString() : null,
      ...(input.flag('secrets') && {
        webhook_secret: account.webhookSecret,
        webhook_secret_previous: isRotating ? account.webhookSecretPrevious : null,
      }),
    };
    return { value, text: renderFields({ ...value, users: value.users.join(', ') }) };
  },
};
