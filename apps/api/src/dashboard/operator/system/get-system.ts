import type { Database } from '@image-gateway/shared/db';
import { findSystem } from '../../../operations/system/find-system.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/system`: the whole gateway at a glance. */
export function getSystem({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/system'> {
  return async () => dataReply(await findSystem(db));
}
