import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import { setAccountPassword } from '../../operations/user/set-account-password.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { PASSWORD_HELP, PASSWORD_STDIN_HELP, readPassword } from '../read-password.js';
import { renderFields } from '../render-fields.js';

/** Builds `account set-password`, which sets the password of a user of an account or creates the user. */
export function buildAccountSetPassword({ db, readInput, show }: CliRun) {
  return new Command('set-password')
    .description(
      'Set the password of a user of an account, or create the user; ends the sessions of the user',
    )
    .argument('<id>', 'account')
    .requiredOption('--email <address>', 'e-mail address of the user')
    .option('--password <text>', PASSWORD_HELP)
    .option('--password-stdin', PASSWORD_STDIN_HELP)
    .addHelpText('after', formatExample('account set-password acc_… --email jo@example.com --password-stdin'))
    .action(async (accountId, { email: given, ...passwords }) => {
      const password = await readPassword({ readInput }, passwords);
      if (password === undefined) {
        throw new AppError('BAD_REQUEST', { publicMessage: 'Give --password or --password-stdin.' });
      }
      const input = { accountId, email: given, password, actor: 'cli' };
      const { email } = await setAccountPassword({ db: db() }, input);
      const value = { id: accountId, email };
      show({ value, text: renderFields(value) });
    });
}
