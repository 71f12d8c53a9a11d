import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import { findAccount } from '../../operations/account/find-account.js';
import { listAccounts } from '../../operations/account/list-accounts.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderTable } from '../render-table.js';

/** Builds `account list`, which lists accounts, oldest first. */
export function buildAccountList({ prisma, show }: CliRun) {
  return new Command('list')
    .description('List accounts, oldest first: all of them, or some')
    .option('--search <text>', 'only those whose e-mail address contains this')
    .option('--limit <count>', 'at most so many', parseCount)
    .option('--after <id>', 'only those after this account, the last one of an earlier list')
    .addHelpText('after', formatExample('account list --search @example.com --limit 100'))
    .action(async ({ search, limit, after }) => {
      const db = await prisma();
      if (after !== undefined) {
        await findAccount(db, after);
      }
      const value = await listAccounts(db, { search, limit, after });
      const none =
        search === undefined && after === undefined
          ? 'There is no account. Create one with: account create --email E'
          : 'No account fits.';
      show({ value, text: renderTable(value, none) });
    });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: '--limit: a whole number from 1 to 9,999,999' });
  }
  return Number(text);
}
