import type { Database } from '@image-gateway/shared/db';
import { type OfferSettings, viewModels } from '../../../operations/catalog/page/view-models.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/models`: the active catalog with prices, costs, health of routes, document and versions. */
export function getModels({
  db,
  ...settings
}: OfferSettings & { readonly db: Pick<Database, 'run'> }): UserHandler<'get /operator/models'> {
  return async () => dataReply(await viewModels(db, settings));
}
