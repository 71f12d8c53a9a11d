import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { findSystem } from '../../operations/system/find-system.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/operator/system`: the whole gateway at a glance. */
export function getSystem({ db }: { readonly db: Pick<Database, 'run'> }): Handler<ViewerCall> {
  return async () => dataReply(await findSystem(db));
}
