import { setAccountStatus } from '../../operations/account/set-account-status.js';
import { showAccount } from '../../operations/account/show-account.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** Builds the command that gives an account a status and shows the account. */
export function buildStatusCommand(
  verb: 'suspend' | 'resume',
  status: 'suspended' | 'active',
  summary: string,
): CliCommand {
  return {
    name: `account ${verb}`,
    summary,
    arguments: ['ID'],
    example: `account ${verb} acc_…`,
    run: async (context, input) => {
      const db = context.db();
      const accountId = input.argument(0);
      await setAccountStatus({ db }, { accountId, status, actor: 'cli' });
      const value = await showAccount(db, accountId);
      return { value, text: renderFields(value) };
    },
  };
}
