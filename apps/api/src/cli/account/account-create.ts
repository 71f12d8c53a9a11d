import { Command } from '@commander-js/extra-typings';
import { formatDollars, parseDollarsOrZero } from '@image-gateway/shared/money';
import { createAccount } from '../../operations/account/create-account.js';
import type { CliRun } from '../cli-context.js';
import { createAmountParser } from '../create-amount-parser.js';
import { formatExample } from '../help.js';
import { PASSWORD_HELP, PASSWORD_STDIN_HELP, readPassword } from '../read-password.js';
import { renderFields } from '../render-fields.js';

/** Builds `account create`, which creates an account and, with a password, the user who owns it. */
export function buildAccountCreate({ db, readInput, show }: CliRun) {
  return new Command('create')
    .description('Create a customer account, and with a password the user who owns it in the dashboard')
    .requiredOption('--email <address>', 'e-mail address, which no other account has')
    .option('--password <text>', PASSWORD_HELP)
    .option('--password-stdin', PASSWORD_STDIN_HELP)
    .option(
      '--balance <dollars>',
      'opening balance, 0 by default',
      createAmountParser('--balance', parseDollarsOrZero),
    )
    .addHelpText(
      'after',
      formatExample(
        "account create --email jo@example.com --password 'correct horse 9 battery' --balance 10.00",
      ),
    )
    .action(async ({ email, balance: openingMicros = 0n, ...passwords }) => {
      const password = await readPassword({ readInput }, passwords);
      const account = await createAccount({ db: db() }, { email, password, openingMicros, actor: 'cli' });
      const value = {
        id: account.id,
        email: account.email,
        status: 'active',
        balance: formatDollars(account.balanceMicros),
        webhook_secret: account.webhookSecret,
      };
      show({ value, text: renderFields(value) });
    });
}
