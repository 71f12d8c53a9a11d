import { ACCOUNT_LIMITS } from '@image-gateway/shared/contract';
import { newId } from '@image-gateway/shared/ids';
import {
  formatDollars,
  parseDollars,
  parseDollarsOrZero,
  parseSignedDollars,
} from '@image-gateway/shared/money';
import type { CliContext } from '../cli/cli-context.js';
import { defineCommand, fields, flag, needed, option, table } from '../cli/define-command.js';
import { limitOptions, readLimitOptions } from '../cli/limit-options.js';
import { passwordOptions, readPassword, requirePassword } from '../cli/read-password.js';
import { maybeReason, neededReason, readAmount, readWhole } from '../cli/read-values.js';
import { renderFields } from '../cli/render.js';
import { accountLimits } from '../key/create-limits.js';
import { presentSecrets, rotateWebhookSecret } from '../webhook/webhook-secrets.js';
import { listAccounts } from './list-accounts.js';
import { setAccountStatus } from './set-account-status.js';
import { findAccount, presentAccount, showAccount } from './show-account.js';

const args = { id: 'account' };
const actor = 'cli';
const NOT_TOLD = 'No mail is sent: tell the user.';

/** Commands `account …`. */
export const commands = {
  create: defineCommand({
    about: 'Create a customer account, and with a password the user who owns it in the dashboard',
    options: {
      email: needed('<address>', 'e-mail address, which no other account has'),
      ...passwordOptions,
      balance: option(
        '<dollars>',
        'opening balance, 0 by default',
        readAmount('--balance', parseDollarsOrZero),
      ),
      reason: maybeReason('why it has an opening balance, for the books'),
    },
    example: "--email jo@example.com --password 'correct horse 9 battery' --balance 10.00",
    run: async (context, { email, balance: openingMicros = 0n, reason = null, ...passwords }) => {
      const password = await readPassword(context, passwords);
      const wanted = { email, password, openingMicros, reason, actor };
      const { createAccount } = await import('./create-account.js');
      const account = await createAccount({ db: context.db() }, wanted);
      return fields({
        id: account.id,
        email: account.email,
        status: 'active',
        balance: formatDollars(account.balanceMicros),
        webhook_secret: account.webhookSecret,
      });
    },
  }),
  list: defineCommand({
    about: 'List accounts, oldest first: all of them, or some',
    options: {
      search: option('<text>', 'only those whose e-mail address contains this'),
      limit: option(
        '<count>',
        'at most so many',
        readWhole('--limit: a whole number from 1 to 9,999,999', [1, 9_999_999]),
      ),
      after: option('<id>', 'only those after this account, the last one of an earlier list'),
    },
    example: '--search @example.com --limit 100',
    run: async ({ db }, { search, limit, after }) => {
      if (after !== undefined) {
        await findAccount(db(), after);
      }
      const none =
        search === undefined && after === undefined
          ? 'There is no account. Create one with: account create --email E'
          : 'No account fits.';
      return table(await listAccounts(db(), { search, limit, after }), none);
    },
  }),
  show: defineCommand({
    about: 'Show an account: status, money, counts and users',
    args,
    options: { secrets: flag('show the webhook secrets as well') },
    example: 'acc_…',
    run: async ({ db }, { id, secrets }) => {
      const account = await findAccount(db(), id);
      const { secret, previous, previous_until } = presentSecrets(account);
      const value = {
        ...presentAccount(account),
        users: account.users,
        webhook_secret_previous_until: previous_until,
        ...(secrets && { webhook_secret: secret, webhook_secret_previous: previous }),
      };
      return { value, text: renderFields({ ...value, users: value.users.join(', ') }) };
    },
  }),
  credit: defineCommand({
    about: 'Credit a payment to an account; the same reference is credited once',
    args,
    options: {
      amount: needed(
        '<dollars>',
        'amount with at most six decimals, such as 5.00',
        readAmount('--amount', parseDollars),
      ),
      reference: option(
        '<text>',
        'reference of the payment; with one that was credited before, nothing changes',
      ),
      reason: maybeReason('reason, for the books'),
    },
    example: 'acc_… --amount 5.00 --reference invoice-17',
    run: async (context, { id, amount: amountMicros, reference = null, reason = null }) => {
      const payment = { accountId: id, amountMicros, reason, reference, actor };
      const { creditAccount } = await import('@image-gateway/shared/billing');
      const { credited } = await creditAccount({ db: context.db(), newId }, payment);
      const note = credited ? '' : 'This reference was credited before; nothing has changed.';
      return fields({ ...(await find(context, id)), credited }, note);
    },
  }),
  adjust: defineCommand({
    about: 'Correct a balance by hand, never below the held amount; the same reference is booked once',
    args,
    options: {
      amount: needed(
        '<dollars>',
        'amount to add (1.00) or to take away (-1.00)',
        readAmount('--amount', parseSignedDollars),
      ),
      reason: neededReason('reason, for the books'),
      reference: option('<text>', 'reference; with one that was booked before, nothing changes'),
      shown: flag('show the reason and the reference to the owner'),
    },
    example: "acc_… --amount -1.00 --reason 'credited twice'",
    run: async (context, { id, amount: deltaMicros, reason, reference = null, shown: isShown }) => {
      const transfer = { accountId: id, deltaMicros, reason, reference, isShown, actor };
      const { adjustAccount } = await import('@image-gateway/shared/billing');
      const { adjusted } = await adjustAccount({ db: context.db(), newId }, transfer);
      const note = adjusted ? '' : 'This reference was booked before; nothing has changed.';
      return fields({ ...(await find(context, id)), adjusted }, note);
    },
  }),
  limits: defineCommand({
    about: 'Show or set limits of an account that replace the settings; an empty value removes a limit',
    args,
    options: limitOptions(ACCOUNT_LIMITS),
    example: 'acc_… --max-open 50 --requests 300/60 --failed 200/3600',
    run: async ({ db }, { id, ...options }) => {
      const limits = readLimitOptions(options, ACCOUNT_LIMITS);
      const found = await (Object.keys(limits).length > 0
        ? accountLimits.change(db(), { id, limits, actor })
        : accountLimits.find(db(), id));
      return fields({ id, ...found });
    },
  }),
  suspend: defineCommand({
    about: 'Suspend an account: new requests are refused, accepted tasks continue, its owner can still look',
    args,
    options: { reason: maybeReason('why; its owner sees it') },
    example: "acc_… --reason 'invoice 17 is unpaid'",
    run: async (context, { id, reason = null }) => {
      const change = { accountId: id, status: 'suspended', reason, actor } as const;
      await setAccountStatus({ db: context.db() }, change);
      return fields(await find(context, id));
    },
  }),
  resume: defineCommand({
    about: 'Resume a suspended account',
    args,
    example: 'acc_…',
    run: async (context, { id }) => {
      await setAccountStatus({ db: context.db() }, { accountId: id, status: 'active', actor });
      return fields(await find(context, id));
    },
  }),
  'rotate-webhook-secret': defineCommand({
    about: 'Create a new webhook secret; the previous one also signs for 24 hours',
    args,
    example: 'acc_…',
    run: async ({ db }, { id }) => {
      const rotated = await rotateWebhookSecret({ db: db() }, { accountId: id, actor });
      const previous_until = rotated.previousUntil.toISOString();
      return fields({ id, webhook_secret: rotated.webhookSecret, previous_until });
    },
  }),
  'set-email': defineCommand({
    about: 'Give a user of an account another address; ends the sessions of the user',
    args,
    options: {
      user: needed('<address>', 'present e-mail address of the user'),
      email: needed('<address>', 'new e-mail address, which nobody has'),
    },
    example: 'acc_… --user jo@example.com --email jo@example.org',
    run: async (context, { id, user, email: given }) => {
      const wanted = { accountId: id, user, email: given, sendsMail: false, actor };
      const { changeEmail } = await import('../user/change-email.js');
      const { email } = await changeEmail(context.db(), wanted);
      return fields({ id, email }, NOT_TOLD);
    },
  }),
  'set-password': defineCommand({
    about: 'Set the password of a user of an account, or create the user; ends the sessions of the user',
    args,
    options: { email: needed('<address>', 'e-mail address of the user'), ...passwordOptions },
    example: 'acc_… --email jo@example.com --password-stdin',
    run: async (context, { id, email: given, ...passwords }) => {
      const missing = 'Give --password or --password-stdin.';
      const password = await requirePassword(context, passwords, missing);
      const input = { accountId: id, email: given, password, actor };
      const { setAccountPassword } = await import('../user/passwords.js');
      const { email } = await setAccountPassword({ db: context.db() }, input);
      return fields({ id, email });
    },
  }),
};

const find = ({ db }: CliContext, id: string) => showAccount(db(), id);
