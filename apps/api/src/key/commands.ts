import { KEY_CAPS, KEY_LIMITS, parseInstant } from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { findAccount } from '../account/show-account.js';
import { defineCommand, fields, needed, option } from '../cli/define-command.js';
import { limitOptions, readLimitOptions } from '../cli/limit-options.js';
import { readWhole, refused } from '../cli/read-values.js';
import { type Cell, renderTable } from '../cli/render.js';
import { createApiKey } from './create-api-key.js';
import { keyLimits } from './create-limits.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';

const DEFAULT_HOURS = 24;
const MAX_HOURS = 8_760;
const SHOWN_ONCE = 'The key is not shown again.';
const args = { id: 'API key' };
const actor = 'cli';

/** Commands `key …`. */
export const commands = {
  create: defineCommand({
    about: 'Create an API key, which is shown only once',
    options: {
      account: needed('<id>', 'account that pays'),
      name: option('<text>', 'name of the key'),
      expires: option(
        '<time>',
        'time after which the key is refused, such as 2030-01-31T00:00:00Z',
        parseTime,
      ),
      ...limitOptions(KEY_LIMITS),
    },
    example: '--account acc_… --name production',
    run: async ({ db }, { account: accountId, name = '', expires: expiresAt = null, ...options }) => {
      const limits = readLimitOptions(options, KEY_LIMITS);
      const made = await createApiKey({ db: db() }, { accountId, name, expiresAt, limits, actor });
      return fields({ id: made.id, key: made.key, prefix: made.prefix }, SHOWN_ONCE);
    },
  }),
  list: defineCommand({
    about: 'List the API keys of an account',
    options: { account: needed('<id>', 'account') },
    example: '--account acc_…',
    run: async ({ db }, { account }) => {
      const { id: accountId } = await findAccount(db(), account);
      const { listApiKeys } = await import('./list-api-keys.js');
      const value = await listApiKeys(db(), { accountId, order: 'newest' });
      return { value, text: renderTable(value.map(renderKey), 'This account has no API key.') };
    },
  }),
  update: defineCommand({
    about: 'Change the limits of an API key, which apply within 5 seconds',
    args,
    options: limitOptions(KEY_LIMITS),
    example: 'key_… --cap-day 5.00 --scopes generate',
    run: async ({ db }, { id, ...options }) => {
      await keyLimits.change(db(), { id, limits: readLimitOptions(options, KEY_LIMITS), actor });
      return fields({ id });
    },
  }),
  rotate: defineCommand({
    about:
      'Replace an API key by a new one with the same limits, shown only once; the old one ends after a grace time',
    args,
    options: {
      graceHours: option(
        '<hours>',
        `hours for which the old key works on (default: ${DEFAULT_HOURS}; 0: none)`,
        readWhole(`--grace-hours: a whole number of hours from 0 to ${MAX_HOURS}`, [0, MAX_HOURS]),
      ),
    },
    example: 'key_… --grace-hours 1',
    run: async ({ db }, { id: keyId, graceHours = DEFAULT_HOURS }) =>
      fields(await rotateApiKey({ db: db() }, { accountId: null, keyId, graceHours, actor }), SHOWN_ONCE),
  }),
  revoke: defineCommand({
    about: 'Revoke an API key; requests with it are refused within 5 seconds',
    args,
    example: 'key_…',
    run: async ({ db }, { id }) => {
      const { revokedAt } = await revokeApiKey({ db: db() }, { keyId: id, actor });
      return fields({ id, revoked_at: revokedAt.toISOString() });
    },
  }),
};

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
    throw refused(
      `--expires: "${text}" is not a date or time of the years 0001 to 9999, such as 2030-01-31T00:00:00Z`,
    );
  }
  return time;
}
