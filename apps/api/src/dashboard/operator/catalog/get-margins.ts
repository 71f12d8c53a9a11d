import type { Database } from '@image-gateway/shared/db';
import { createMarginSum } from '../../../operations/catalog/page/sum-margins.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

const DAYS = 30;

/** `GET /dashboard/api/operator/models/margins`: what each model brought and cost in the last 30 days. */
export function getMargins({
  books,
}: {
  readonly books: Pick<Database, 'run'>;
}): UserHandler<'get /operator/models/margins'> {
  const sum = createMarginSum(books, { days: DAYS });
  return async () => dataReply(await sum());
}
