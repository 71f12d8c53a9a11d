import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../../http/query.js';
import { summarizeProviders } from '../../../operations/provider/summarize-providers.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

const providersQuery: Joi.ObjectSchema<{ hours: number }> = Joi.object({
  hours: Joi.number().valid(1, 24, 168).default(24).messages({ '*': 'hours must be 1, 24 or 168.' }),
});

/** `GET /dashboard/api/operator/providers`: how the calls to each provider went, what they cost and earned, and how the workers see the candidates. */
export function getProviders({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/providers'> {
  return async (call) => dataReply(await summarizeProviders(db, readQuery(providersQuery, call).hours));
}
