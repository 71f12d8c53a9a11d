import type { KeyItem } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** More keys than anybody looks through; the newest are shown. */
const MOST = 500;

/** `GET /dashboard/api/keys`: the account's keys, newest first, revoked ones last. */
export function listKeys({ db }: { readonly db: Pick<Database, 'prisma'> }): Handler<OwnerCall> {
  return async ({ accountId }) => {
    const keys = await db.prisma.apiKey.findMany({
      where: { accountId },
      orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }, { id: 'desc' }],
      take: MOST,
    });
    return dataReply(
      keys.map(
        (key): KeyItem => ({
          id: key.id,
          name: key.name,
          prefix: key.prefix,
          created_at: key.createdAt.toISOString(),
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          expires_at: key.expiresAt?.toISOString() ?? null,
          revoked_at: key.revokedAt?.toISOString() ?? null,
        }),
      ),
    );
  };
}
