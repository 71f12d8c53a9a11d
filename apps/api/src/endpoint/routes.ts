import {
  createEndpointBody,
  endpointItem,
  eventItem,
  newEndpointView,
} from '@image-gateway/shared/endpoint/schema';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import { list, nothing } from '@image-gateway/shared/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, operators, owners } from '../http/define-route.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { resendWebhook } from '../webhook/resend-webhook.js';
import { createEndpoint, deleteEndpoint } from './change-endpoints.js';
import { listEndpoints, listEvents } from './list-endpoints.js';
import { sendTestEvent } from './send-test-event.js';

/** Routes of the endpoints of an account, and of their events. */
export function endpointRoutes({
  db,
  limiter,
  isAllowedUrl,
  mail,
}: Pick<DashboardDeps, 'db' | 'limiter' | 'isAllowedUrl' | 'mail'>) {
  const admit = limitChanges(limiter, 'access');
  return [
    defineRoute({
      ...owners,
      method: 'get',
      path: '/endpoints',
      summary: 'List the endpoints of the account',
      response: list(endpointItem),
      run: ({ accountId }) => listEndpoints(db, accountId),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/endpoints/events',
      summary: 'List the events of the endpoints',
      response: list(eventItem),
      run: ({ accountId }) => listEvents(db, accountId),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/endpoints',
      summary: 'Create an endpoint',
      response: newEndpointView,

      admit,
      body: createEndpointBody,
      run: ({ accountId, user, input: { url, types, threshold } }) =>
        createEndpoint(
          { db, isAllowedUrl, sendsMail: mail !== null },
          { accountId, url, types, thresholdMicros: readThreshold(threshold), actor: user.email },
        ),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/endpoints/:id/delete',
      summary: 'Delete an endpoint',
      response: nothing,

      admit,
      run: ({ accountId, user, params: { id = '' } }) =>
        deleteEndpoint({ db }, { id, accountId, actor: user.email }),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/endpoints/:id/test',
      summary: 'Send a test event to an endpoint',
      response: nothing,
      admit,
      run: ({ accountId, user, params: { id = '' } }) =>
        sendTestEvent(db, { id, of: accountId, actor: user.email }),
    }),
  ];
}

/** Routes of the endpoints of operators, and of their events. */
export function operatorEndpointRoutes({
  db,
  operatorReads,
  isAllowedUrl,
  mail,
}: Pick<DashboardDeps, 'db' | 'operatorReads' | 'isAllowedUrl' | 'mail'>) {
  return [
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/endpoints',
      summary: "List the operators' endpoints",
      response: list(endpointItem),
      run: () => listEndpoints(operatorReads, null),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/events',
      summary: "List the events of the operators' endpoints",
      response: list(eventItem),
      run: () => listEvents(operatorReads, null),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/endpoints',
      summary: 'Create an endpoint of operators',
      response: newEndpointView,

      body: createEndpointBody,
      run: ({ user, input: { url, types, threshold } }) =>
        createEndpoint(
          { db, isAllowedUrl, sendsMail: mail !== null },
          { accountId: null, url, types, thresholdMicros: readThreshold(threshold), actor: user.email },
        ),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/endpoints/:id/delete',
      summary: 'Delete an endpoint of operators',
      response: nothing,

      run: ({ user, params: { id = '' } }) => deleteEndpoint({ db }, { id, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/endpoints/:id/test',
      summary: 'Send a test event to an endpoint of operators',
      response: nothing,
      run: ({ user, params: { id = '' } }) => sendTestEvent(db, { id, of: null, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/events/:id/resend',
      summary: 'Send an event again',
      response: nothing,

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
