import { listAccounts } from '../../operations/account/list-accounts.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

/** `account list`: every account, oldest first. */
export const accountList: CliCommand = {
  name: 'account list',
  summary: 'List all accounts',
  example: 'account list',
  run: async (context) => {
    const value = await listAccounts(context.db());
    return {
      value,
      text: renderTable(value, 'There is no account yet: account create --email E makes one.'),
    };
  },
};
