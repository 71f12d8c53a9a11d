import { Command } from '@commander-js/extra-typings';
import { ACCOUNT_LIMIT_NAMES, ACCOUNT_LIMITS, type AccountLimitsBody } from '@image-gateway/shared/contract';
import { findAccountLimits, setAccountLimits } from '../../operations/account/account-limits.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `account limits`, which shows or sets the limits of an account; an empty value removes a limit. */
export function buildAccountLimits({ db, show }: CliRun) {
  const command = new Command('limits')
    .description('Show or set limits of an account that replace the settings; an empty value removes a limit')
    .argument('<id>', 'account');
  for (const name of ACCOUNT_LIMIT_NAMES) {
    const { columns, option, label, setting } = ACCOUNT_LIMITS[name];
    const value = columns.length === 1 ? 'number' : 'count/seconds';
    command.option(`--${option} <${value}>`, `${label}; replaces ${setting}`);
  }
  return command
    .addHelpText(
      'after',
      formatExample('account limits acc_… --max-open 50 --requests 300/60 --failed 200/3600'),
    )
    .action(async (accountId, options: Readonly<Record<string, string | undefined>>) => {
      const given = ACCOUNT_LIMIT_NAMES.map((name) => [
        name,
        options[toCamelCase(ACCOUNT_LIMITS[name].option)],
      ]);
      const limits = Object.fromEntries(
        given.filter(([, value]) => value !== undefined),
      ) as AccountLimitsBody;
      const changed = Object.keys(limits).length > 0;
      const found = changed
        ? await setAccountLimits({ db: db() }, { accountId, limits, actor: 'cli' })
        : await findAccountLimits({ db: db() }, accountId);
      const value = { id: accountId, ...found };
      show({ value, text: renderFields(value) });
    });
}

/** Returns the name under which Commander keeps an option. */
function toCamelCase(option: string): string {
  return option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
