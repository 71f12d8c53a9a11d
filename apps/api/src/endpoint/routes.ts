import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { type DashboardRoute, operator, owner } from '../http/session/route.js';
import { resendWebhook } from '../webhook/resend-webhook.js';
import { createEndpoint, deleteEndpoint } from './change-endpoints.js';
import { listEndpoints, listEvents } from './list-endpoints.js';

interface CreateBody {
  readonly url: string;
  readonly types: readonly string[];
  readonly threshold: string | null;
}

const createBody: Joi.ObjectSchema<CreateBody> = Joi.object({
  url: Joi.string().allow('').required(),
  types: Joi.array().items(Joi.string()).required(),
  threshold: Joi.string()
    .max(20)
    .allow(null)
    .default(null)
    .messages({ '*': 'A threshold is an amount of dollars such as 5.00.' }),
}).required();

/** Routes of the endpoints of an account, and of their events. */
export function endpointRoutes({
  db,
  limiter,
  isAllowedUrl,
  mail,
}: Pick<DashboardDeps, 'db' | 'limiter' | 'isAllowedUrl' | 'mail'>): readonly DashboardRoute[] {
  const admit = limitChanges(limiter, 'access');
  return [
    owner('get /endpoints', { run: ({ accountId }) => listEndpoints(db, accountId) }),
    owner('get /endpoints/events', { run: ({ accountId }) => listEvents(db, accountId) }),
    owner('post /endpoints', {
      admit,
      body: createBody,
      run: ({ accountId, user, input: { url, types, threshold } }) =>
        createEndpoint(
          { db, isAllowedUrl, sendsMail: mail !== null },
          { accountId, url, types, thresholdMicros: readThreshold(threshold), actor: user.email },
        ),
    }),
    owner('post /endpoints/:id/delete', {
      admit,
      run: ({ accountId, user, params: { id = '' } }) =>
        deleteEndpoint({ db }, { id, accountId, actor: user.email }),
    }),
  ];
}

/** Routes of the endpoints of operators, and of their events. */
export function operatorEndpointRoutes({
  db,
  operatorReads,
  isAllowedUrl,
  mail,
}: Pick<DashboardDeps, 'db' | 'operatorReads' | 'isAllowedUrl' | 'mail'>): readonly DashboardRoute[] {
  return [
    operator('get /operator/endpoints', { run: () => listEndpoints(operatorReads, null) }),
    operator('get /operator/events', { run: () => listEvents(operatorReads, null) }),
    operator('post /operator/endpoints', {
      body: createBody,
      run: ({ user, input: { url, types, threshold } }) =>
        createEndpoint(
          { db, isAllowedUrl, sendsMail: mail !== null },
          { accountId: null, url, types, thresholdMicros: readThreshold(threshold), actor: user.email },
        ),
    }),
    operator('post /operator/endpoints/:id/delete', {
      run: ({ user, params: { id = '' } }) => deleteEndpoint({ db }, { id, actor: user.email }),
    }),
    operator('post /operator/events/:id/resend', {
      run: async ({ user, params: { id = '' } }) => {
        await resendWebhook({ db }, { id, actor: user.email });
      },
    }),
  ];
}

function readThreshold(text: string | null): bigint | null {
  if (text === null || text.trim() === '') {
    return null;
  }
  try {
    return parseDollars(text.trim().replace('$', ''));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'A threshold is an amount of dollars such as 5.00.',
      cause,
    });
  }
}
