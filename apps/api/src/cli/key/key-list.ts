import { Command } from '@commander-js/extra-typings';
import { findAccount } from '../../operations/account/find-account.js';
import { listApiKeys } from '../../operations/key/list-api-keys.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderTable } from '../render-table.js';
import { renderLimits } from './limit-options.js';

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
        text: renderTable(
          value.map(({ models, scopes, allowed_cidrs, caps, join_equal, ...key }) => ({
            ...key,
            ...renderLimits({ models, scopes, allowed_cidrs, caps, join_equal }),
          })),
          'This account has no API key.',
        ),
      });
    });
}
