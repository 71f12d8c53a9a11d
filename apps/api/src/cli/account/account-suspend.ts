import { setAccountStatus } from '../../commands/set-account-status.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** `account suspend`: refuse new requests of an account; accepted tasks go on. */
export const accountSuspend: CliCommand = {
  name: 'account suspend',
  summary: 'Refuse new requests of an account; accepted tasks go on',
  arguments: ['ID'],
  example: 'account suspend acc_…',
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    await setAccountStatus({ db }, { accountId, status: 'suspended', actor: 'cli' });
    const value = presentAccount(await findAccount(db, accountId));
    return { value, text: renderFields(value) };
  },
};
