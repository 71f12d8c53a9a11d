import { findAccount } from '../account/find-account.js';
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
    const keys = await db.prisma.apiKey.findMany({
      where: { accountId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    const value = keys.map((key) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      created_at: key.createdAt.toISOString(),
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      expires_at: key.expiresAt?.toISOString() ?? null,
      revoked_at: key.revokedAt?.toISOString() ?? null,
    }));
    return { value, text: renderTable(value, 'This account has no API key.') };
  },
};
