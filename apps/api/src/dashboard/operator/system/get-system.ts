import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../../http/framework/call.js';
import { findSystem } from '../../../operations/system/find-system.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `GET /dashboard/api/operator/system`: the whole gateway at a glance. */
export function getSystem({ db }: { readonly db: Pick<Database, 'run'> }): Handler<UserCall> {
  return async () => dataReply(await findSystem(db));
}
