import { formatDollars, parseDollarsOrZero } from '@image-gateway/shared/money';
import { createAccount } from '../../operations/account/create-account.js';
import type { CliCommand } from '../cli-command.js';
import { parseAmount } from '../parse-amount.js';
import { PASSWORD_OPTIONS, readPassword } from '../read-password.js';
import { renderFields } from '../render-fields.js';

/** `account create`: makes an account, with a log-in when a password is given. */
export const accountCreate: CliCommand = {
  name: 'account create',
  summary: 'Create a customer account (and its log-in to the dashboard, with --password)',
  options: {
    email: { value: 'E', help: 'e-mail address, one account each', required: true },
    ...PASSWORD_OPTIONS,
    balance: { value: '10.00', help: 'opening balance in dollars, 0 for none' },
  },
  example: "account create --email jo@example.com --password 'correct horse 9 battery' --balance 10.00",
  run: async (context, input) => {
    const balance = input.optional('balance');
    const account = await createAccount(
      { db: context.db() },
      {
        email: input.option('email'),
        password: await readPassword(context, input),
        openingMicros: balance === undefined ? 0n : parseAmount('balance', balance, parseDollarsOrZero),
        actor: 'cli',
      },
    );
    const value = {
      id: account.id,
      email: account.email,
      status: 'active',
      balance: formatDollars(account.balanceMicros),
      webhook_secret: account.webhookSecret,
    };
    return { value, text: renderFields(value) };
  },
};
