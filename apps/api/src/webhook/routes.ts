import { toSlice } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { list, nothing, paged } from '@image-gateway/shared/schema';
import {
  deliveriesQuery,
  deliveryItem,
  webhookSecretView,
  webhookTestBody,
  webhookTestView,
} from '@image-gateway/shared/webhook/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, owners } from '../http/define-route.js';
import { pageReply } from '../http/query.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { addWebhookTest } from './add-webhook-test.js';
import { listDeliveries } from './deliveries.js';
import { findWebhookTest, listWebhookTests } from './find-webhook-test.js';
import { resendWebhook } from './resend-webhook.js';
import { findWebhookSecret, rotateWebhookSecret } from './webhook-secrets.js';

/** Keeps test events from being used to flood a receiver. */
const TEST_RATE = { limit: 10, windowSeconds: 60 };

/** Routes of the deliveries of an account, of its secret, and of test events. */
export function webhookRoutes(deps: DashboardDeps) {
  const { db, reads, limiter } = deps;
  return [
    defineRoute({
      ...owners,
      method: 'get',
      path: '/webhooks',
      summary: 'List the deliveries',
      response: paged(deliveryItem),

      query: deliveriesQuery,
      reply: async ({ accountId, input }) => {
        const page = await listDeliveries(reads.ofAccount(accountId), accountId, input.state, toSlice(input));
        return pageReply(input, page.rows, page.total);
      },
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/webhooks/secret',
      summary: 'Read the secret of webhooks',
      response: webhookSecretView,
      run: ({ accountId }) => findWebhookSecret(db, accountId),
    }),
    // The secret before signs too for 24 hours.
    defineRoute({
      ...owners,
      method: 'post',
      path: '/webhooks/secret/rotate',
      summary: 'Replace the secret of webhooks',
      response: webhookSecretView,

      admit: limitChanges(limiter, 'access'),
      run: async ({ accountId, user }) => {
        const rotated = await rotateWebhookSecret({ db }, { accountId, actor: user.email });
        return { secret: rotated.webhookSecret, previous_until: rotated.previousUntil.toISOString() };
      },
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/webhooks/test',
      summary: 'Send a test event',
      response: webhookTestView,

      body: webhookTestBody,
      run: async ({ id: requestId, accountId, input: { url } }) => {
        if (!deps.isAllowedUrl(url)) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage:
              'The gateway calls public addresses, and localhost would be its own machine. Give your receiver a public address, ' +
              'such as that of a tunnel, or ask the operator to add its host:port to OUTBOUND_ALLOW.',
          });
        }
        const decision = await limiter.consume([{ policy: 'webhook-test', key: accountId, ...TEST_RATE }]);
        if (!decision.allowed) {
          throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
        }
        const id = await addWebhookTest(deps, { accountId, url, requestId });
        return findWebhookTest({ db }, { id, accountId });
      },
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/webhooks/tests',
      summary: 'List the test events',
      response: list(webhookTestView),
      run: ({ accountId }) => listWebhookTests({ db }, accountId),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/webhooks/tests/:id',
      summary: 'Read a test event',
      response: webhookTestView,

      run: ({ accountId, params: { id = '' } }) => findWebhookTest({ db }, { id, accountId }),
    }),
    // Due again now, with the same id and body.
    defineRoute({
      ...owners,
      method: 'post',
      path: '/webhooks/:id/resend',
      summary: 'Send a webhook again',
      response: nothing,

      admit: limitChanges(limiter, 'resends'),
      run: async ({ accountId, user, params: { id = '' } }) => {
        await resendWebhook({ db }, { id, accountId, actor: user.email });
      },
    }),
  ];
}
