import { Command } from '@commander-js/extra-typings';
import { KEY_CAPS, KEY_LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { parseInstant } from '@image-gateway/shared/validation';
import { findAccount } from '../account/show-account.js';
import type { CliRun } from '../cli/cli-context.js';
import { formatExample } from '../cli/help.js';
import { addLimitOptions, readLimitOptions } from '../cli/limit-options.js';
import { renderFields } from '../cli/render-fields.js';
import { type Cell, renderTable } from '../cli/render-table.js';
import { createApiKey } from './create-api-key.js';
import { keyLimits } from './create-limits.js';
import { listApiKeys } from './list-api-keys.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';

const DEFAULT_HOURS = 24;
const MAX_HOURS = 8_760;

/** Builds `key create`, which creates an API key and shows it once. */
export function buildKeyCreate({ db, show }: CliRun) {
  const command = new Command('create')
    .description('Create an API key, which is shown only once')
    .requiredOption('--account <id>', 'account that pays')
    .option('--name <text>', 'name of the key')
    .option(
      '--expires <time>',
      'time after which the key is refused, such as 2030-01-31T00:00:00Z',
      parseTime,
    );
  addLimitOptions(command, KEY_LIMITS);
  return command
    .addHelpText('after', formatExample('key create --account acc_… --name production'))
    .action(async ({ account: accountId, name = '', expires: expiresAt = null, ...options }) => {
      const limits = readLimitOptions(options, KEY_LIMITS);
      const key = await createApiKey({ db: db() }, { accountId, name, expiresAt, limits, actor: 'cli' });
      const value = { id: key.id, key: key.key, prefix: key.prefix };
      show({ value, text: `${renderFields(value)}\n\nThe key is not shown again.` });
    });
}

/** Builds `key list`, which lists the keys of an account, newest first, by their prefixes. */
export function buildKeyList({ prisma, show }: CliRun) {
  return new Command('list')
    .description('List the API keys of an account')
    .requiredOption('--account <id>', 'account')
    .addHelpText('after', formatExample('key list --account acc_…'))
    .action(async ({ account }) => {
      const database = await prisma();
      const { id: accountId } = await findAccount(database, account);
      const value = await listApiKeys(database, { accountId, order: 'newest' });
      show({
        value,
        text: renderTable(value.map(renderKey), 'This account has no API key.'),
      });
    });
}

/** Builds `key update`, which changes the limits of a key. */
export function buildKeyUpdate({ db, show }: CliRun) {
  const command = new Command('update')
    .description('Change the limits of an API key, which apply within 5 seconds')
    .argument('<id>', 'API key');
  addLimitOptions(command, KEY_LIMITS);
  return command
    .addHelpText('after', formatExample('key update key_… --cap-day 5.00 --scopes generate'))
    .action(async (id, options) => {
      await keyLimits.change(db(), { id, limits: readLimitOptions(options, KEY_LIMITS), actor: 'cli' });
      const value = { id };
      show({ value, text: renderFields(value) });
    });
}

/** Builds `key rotate`, which puts a new key in the place of an old one and shows it once. */
export function buildKeyRotate({ db, show }: CliRun) {
  return new Command('rotate')
    .description(
      'Replace an API key by a new one with the same limits, shown only once; the old one ends after a grace time',
    )
    .argument('<id>', 'API key')
    .option(
      '--grace-hours <hours>',
      `hours for which the old key works on (default: ${DEFAULT_HOURS}; 0: none)`,
      parseHours,
    )
    .addHelpText('after', formatExample('key rotate key_… --grace-hours 1'))
    .action(async (keyId, { graceHours = DEFAULT_HOURS }) => {
      const value = await rotateApiKey({ db: db() }, { accountId: null, keyId, graceHours, actor: 'cli' });
      show({ value, text: `${renderFields(value)}\n\nThe key is not shown again.` });
    });
}

/** Builds `key revoke`, after which the key is refused within five seconds. */
export function buildKeyRevoke({ db, show }: CliRun) {
  return new Command('revoke')
    .description('Revoke an API key; requests with it are refused within 5 seconds')
    .argument('<id>', 'API key')
    .addHelpText('after', formatExample('key revoke key_…'))
    .action(async (id) => {
      const { revokedAt } = await revokeApiKey({ db: db() }, { keyId: id, actor: 'cli' });
      const value = { id, revoked_at: revokedAt.toISOString() };
      show({ value, text: renderFields(value) });
    });
}

function renderKey({ caps, ...key }: KeyItem): Readonly<Record<string, Cell>> {
  const cells = Object.entries(key).map(([name, value]) => [name, renderValue(value)] as const);
  const used = KEY_CAPS.map(([window]) => [
    `cap_${window}`,
    caps[window] ? `${caps[window].used} of ${caps[window].limit}` : '',
  ]);
  const perValue = caps.day_per ? `${caps.day_per.key}=${caps.day_per.limit}` : '';
  return { ...Object.fromEntries(cells), ...Object.fromEntries(used), cap_day_per: perValue };
}

function renderValue(value: KeyItem[Exclude<keyof KeyItem, 'caps'>]): Cell {
  if (typeof value === 'boolean') {
    return value ? 'on' : '';
  }
  return typeof value === 'object' ? value?.join(',') : value;
}

function parseTime(text: string): Date {
  const time = parseInstant(text);
  if (!time) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--expires: "${text}" is not a date or time of the years 0001 to 9999, such as 2030-01-31T00:00:00Z`,
    });
  }
  return time;
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,4}$/.test(text) || hours > MAX_HOURS) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--grace-hours: a whole number of hours from 0 to ${MAX_HOURS}`,
    });
  }
  return hours;
}
