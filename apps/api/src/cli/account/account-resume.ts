import { setAccountStatus } from '../../commands/set-account-status.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** `account resume`: let a suspended account send requests again. */
export const accountResume: CliCommand = {
  name: 'account resume',
  summary: 'Let a suspended account send requests again',
  arguments: ['ID'],
  example: 'account resume acc_…',
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    await setAccountStatus({ db }, { accountId, status: 'active', actor: 'cli' });
    const value = presentAccount(await findAccount(db, accountId));
    return { value, text: renderFields(value) };
  },
};
