import type { AccountDetail } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { presentAccount } from '../../cli/account/present-account.js';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

const LAST_TRANSFERS = 50;

/** `GET /dashboard/api/operator/accounts/{id}`: an account with its log-ins, limits and last movements of money; no secret, no prompt. */
export function getAccount({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ params: { id = '' } }) => {
    const account = await db.prisma.account.findUnique({
      where: { id },
      include: {
        users: { include: { user: { select: { id: true, email: true } } } },
        apiKeys: { select: { revokedAt: true, expiresAt: true } },
        transfers: { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: LAST_TRANSFERS },
      },
    });
    if (!account) throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${id}.` });
    const now = Date.now();
    const isActive = (key: { revokedAt: Date | null; expiresAt: Date | null }): boolean =>
      key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > now);
    const detail: AccountDetail = {
      ...presentAccount(account),
      max_open_tasks: account.maxOpenTasks,
      key_requests_per_minute: account.keyRequestsPerMinute,
      users: account.users.map(({ user }) => user),
      keys: { active: account.apiKeys.filter(isActive).length, total: account.apiKeys.length },
      transfers: account.transfers.map((transfer) => ({
        id: transfer.id,
        kind: transfer.kind,
        amount: `${transfer.debitAccount === `cust:${id}` ? '-' : ''}${formatDollars(transfer.amountMicros)}`,
        task_id: transfer.taskId,
        reference: transfer.externalRef,
        reason: transfer.reason,
        created_at: transfer.createdAt.toISOString(),
      })),
    };
    return dataReply(detail);
  };
}
