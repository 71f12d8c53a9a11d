import { Command } from '@commander-js/extra-typings';
import { listAccounts } from '../../operations/account/list-accounts.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderTable } from '../render-table.js';

/** Builds `account list`, which lists every account, oldest first. */
export function buildAccountList({ prisma, show }: CliRun) {
  return new Command('list')
    .description('List all accounts')
    .addHelpText('after', formatExample('account list'))
    .action(async () => {
      const value = await listAccounts(await prisma());
      show({
        value,
        text: renderTable(value, 'There is no account. Create one with: account create --email E'),
      });
    });
}
