import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import type { CliRun } from '../cli/cli-context.js';
import { formatExample } from '../cli/help.js';
import { PASSWORD_HELP, PASSWORD_STDIN_HELP, readPassword } from '../cli/read-password.js';
import { renderFields } from '../cli/render-fields.js';
import { createOperator } from './create-operator.js';

/** Builds `operator create`, which creates a user who runs the gateway. */
export function buildOperatorCreate({ db, readInput, show }: CliRun) {
  return new Command('create')
    .description('Create an operator, a user of the dashboard without an account')
    .requiredOption('--email <address>', 'e-mail address, which no other user has')
    .option('--password <text>', PASSWORD_HELP)
    .option('--password-stdin', PASSWORD_STDIN_HELP)
    .addHelpText(
      'after',
      formatExample("operator create --email ops@example.com --password 'correct horse 9 battery'"),
    )
    .action(async ({ email: given, ...passwords }) => {
      const password = await readPassword({ readInput }, passwords);
      if (password === undefined) {
        throw new AppError('BAD_REQUEST', {
          publicMessage: 'An operator needs --password or --password-stdin.',
        });
      }
      const { id, email } = await createOperator({ db: db() }, { email: given, password, actor: 'cli' });
      const value = { id, email, role: 'operator' };
      show({ value, text: renderFields(value) });
    });
}
