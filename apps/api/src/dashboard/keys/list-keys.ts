import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { listApiKeys } from '../../operations/key/list-api-keys.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** Keys on the page; the newest are shown. */
const MAX_KEYS = 500;

/** `GET /dashboard/api/keys`: the account's keys, newest first, revoked ones last. */
export function listKeys({
  db,
}: {
  readonly db: Pick<PrismaDatabase, 'prisma' | 'run'>;
}): OwnerHandler<'get /keys'> {
  return async ({ accountId }) =>
    dataReply(await listApiKeys(db, { accountId, order: 'revoked-last', limit: MAX_KEYS }));
}
