import { Command } from '@commander-js/extra-typings';
import { adjustAccount, creditAccount } from '@image-gateway/shared/billing';
import { ACCOUNT_LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import {
  formatDollars,
  parseDollars,
  parseDollarsOrZero,
  parseSignedDollars,
} from '@image-gateway/shared/money';
import type { CliRun } from '../cli/cli-context.js';
import { createAmountParser } from '../cli/create-amount-parser.js';
import { formatExample } from '../cli/help.js';
import { addLimitOptions, readLimitOptions } from '../cli/limit-options.js';
import { parseReason } from '../cli/parse-reason.js';
import { PASSWORD_HELP, PASSWORD_STDIN_HELP, readPassword } from '../cli/read-password.js';
import { renderFields } from '../cli/render-fields.js';
import { renderTable } from '../cli/render-table.js';
import { accountLimits } from '../key/create-limits.js';
import { setAccountPassword } from '../user/passwords.js';
import { presentSecrets, rotateWebhookSecret } from '../webhook/webhook-secrets.js';
import { createAccount } from './create-account.js';
import { listAccounts } from './list-accounts.js';
import { setAccountStatus } from './set-account-status.js';
import { findAccount, presentAccount, showAccount } from './show-account.js';

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

/** Builds `account list`, which lists accounts, oldest first. */
export function buildAccountList({ prisma, show }: CliRun) {
  return new Command('list')
    .description('List accounts, oldest first: all of them, or some')
    .option('--search <text>', 'only those whose e-mail address contains this')
    .option('--limit <count>', 'at most so many', parseCount)
    .option('--after <id>', 'only those after this account, the last one of an earlier list')
    .addHelpText('after', formatExample('account list --search @example.com --limit 100'))
    .action(async ({ search, limit, after }) => {
      const db = await prisma();
      if (after !== undefined) {
        await findAccount(db, after);
      }
      const value = await listAccounts(db, { search, limit, after });
      const none =
        search === undefined && after === undefined
          ? 'There is no account. Create one with: account create --email E'
          : 'No account fits.';
      show({ value, text: renderTable(value, none) });
    });
}

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

/** Builds `account credit`, which tops up an account, once per reference. */
export function buildAccountCredit({ db, prisma, show }: CliRun) {
  return new Command('credit')
    .description('Credit a payment to an account; the same reference is credited once')
    .argument('<id>', 'account')
    .requiredOption(
      '--amount <dollars>',
      'amount with at most six decimals, such as 5.00',
      createAmountParser('--amount', parseDollars),
    )
    .option(
      '--reference <text>',
      'reference of the payment; with one that was credited before, nothing changes',
    )
    .option('--reason <text>', 'reason, for the books', parseReason)
    .addHelpText('after', formatExample('account credit acc_… --amount 5.00 --reference invoice-17'))
    .action(async (accountId, { amount: amountMicros, reference = null, reason = null }) => {
      const payment = { accountId, amountMicros, reason, reference, actor: 'cli' };
      const { credited } = await creditAccount({ db: db(), newId }, payment);
      const value = { ...(await showAccount(await prisma(), accountId)), credited };
      const note = credited ? '' : '\n\nThis reference was credited before; nothing has changed.';
      show({ value, text: `${renderFields(value)}${note}` });
    });
}

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

/** Builds `account limits`, which shows or sets the limits of an account; an empty value removes a limit. */
export function buildAccountLimits({ db, show }: CliRun) {
  const command = new Command('limits')
    .description('Show or set limits of an account that replace the settings; an empty value removes a limit')
    .argument('<id>', 'account');
  addLimitOptions(command, ACCOUNT_LIMITS);
  return command
    .addHelpText(
      'after',
      formatExample('account limits acc_… --max-open 50 --requests 300/60 --failed 200/3600'),
    )
    .action(async (id, options) => {
      const limits = readLimitOptions(options, ACCOUNT_LIMITS);
      const found = await (Object.keys(limits).length > 0
        ? accountLimits.change(db(), { id, limits, actor: 'cli' })
        : accountLimits.find(db(), id));
      const value = { id, ...found };
      show({ value, text: renderFields(value) });
    });
}

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

/** Builds `account rotate-webhook-secret`, after which the previous secret also signs for 24 hours. */
export function buildAccountRotateWebhookSecret({ db, show }: CliRun) {
  return new Command('rotate-webhook-secret')
    .description('Create a new webhook secret; the previous one also signs for 24 hours')
    .argument('<id>', 'account')
    .addHelpText('after', formatExample('account rotate-webhook-secret acc_…'))
    .action(async (id) => {
      const rotated = await rotateWebhookSecret({ db: db() }, { accountId: id, actor: 'cli' });
      const value = {
        id,
        webhook_secret: rotated.webhookSecret,
        previous_until: rotated.previousUntil.toISOString(),
      };
      show({ value, text: renderFields(value) });
    });
}

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

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: '--limit: a whole number from 1 to 9,999,999' });
  }
  return Number(text);
}
