import { findAccount } from '../../operations/account/find-account.js';
import { listApiKeys } from '../../operations/key/list-api-keys.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

/** `key list`: the keys of an account, newest first; only their beginnings are known. */
export const keyList: CliCommand = {
  name: 'key list',
  summary: 'List the API keys of an account',
  options: { account: { value: 'ID', help: 'whose keys', required: true } },
  example: 'key list --account acc_…',
  run: async (context, input) => {
    const db = context.db();
    const { id: accountId } = await findAccount(db, input.option('account'));
    const value = await listApiKeys(db, { accountId, order: 'newest' });
    return { value, text: renderTable(value, 'This account has no API key.') };
  },
};
