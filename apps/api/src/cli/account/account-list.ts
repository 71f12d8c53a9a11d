import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';
import { presentAccount } from './present-account.js';

/** `account list`: every account, oldest first. */
export const accountList: CliCommand = {
  name: 'account list',
  summary: 'List all accounts',
  example: 'account list',
  run: async (context) => {
    const accounts = await context
      .db()
      .prisma.account.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    const value = accounts.map(presentAccount);
    return {
      value,
      text: renderTable(value, 'There is no account yet: account create --email E makes one.'),
    };
  },
};
