import { LIMITS, type PageQuery } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { textSchema, urlRule } from '@image-gateway/shared/validation';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import { pageReply, toSlice } from '../http/query.js';
import { pageFields } from '../http/session/form-fields.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { type DashboardRoute, owner } from '../http/session/route.js';
import { addWebhookTest } from './add-webhook-test.js';
import { listDeliveries } from './deliveries.js';
import { findWebhookTest, listWebhookTests } from './find-webhook-test.js';
import { resendWebhook } from './resend-webhook.js';
import { findWebhookSecret, rotateWebhookSecret } from './webhook-secrets.js';

const STATES = ['pending', 'sending', 'delivered', 'failed'];
/** Keeps test events from being used to flood a receiver. */
const TEST_RATE = { limit: 10, windowSeconds: 60 };

const deliveriesQuery: Joi.ObjectSchema<PageQuery & { readonly state?: string }> = Joi.object({
  ...pageFields,
  state: Joi.string()
    .valid(...STATES)
    .messages({ '*': `state must be one of ${STATES.join(', ')}.` }),
});

const testBody: Joi.ObjectSchema<{ url: string }> = Joi.object({
  url: textSchema(urlRule({ max: LIMITS.webhookUrlCharacters, isAllowed: () => true }))
    .required()
    .messages({ '*': 'Enter the http or https URL of your receiver.' }),
}).required();

/** Routes of the deliveries of an account, of its secret, and of test events. */
export function webhookRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const { db, reads, limiter } = deps;
  return [
    owner('get /webhooks', {
      query: deliveriesQuery,
      reply: async ({ accountId, input }) => {
        const page = await listDeliveries(reads.ofAccount(accountId), accountId, input.state, toSlice(input));
        return pageReply(input, page.rows, page.total);
      },
    }),
    owner('get /webhooks/secret', { run: ({ accountId }) => findWebhookSecret(db, accountId) }),
    // The secret before signs too for 24 hours.
    owner('post /webhooks/secret/rotate', {
      admit: limitChanges(limiter, 'access'),
      run: async ({ accountId, user }) => {
        const rotated = await rotateWebhookSecret({ db }, { accountId, actor: user.email });
        return { secret: rotated.webhookSecret, previous_until: rotated.previousUntil.toISOString() };
      },
    }),
    owner('post /webhooks/test', {
      body: testBody,
      run: async ({ id: requestId, accountId, input: { url } }) => {
        if (!deps.isAllowedUrl(url)) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage:
              'The gateway calls public addresses, and localhost would be its own machine. Give your receiver a public address, such as that of a tunnel, or ask the operator to add its host:port to OUTBOUND_ALLOW.',
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
    owner('get /webhooks/tests', { run: ({ accountId }) => listWebhookTests({ db }, accountId) }),
    owner('get /webhooks/tests/:id', {
      run: ({ accountId, params: { id = '' } }) => findWebhookTest({ db }, { id, accountId }),
    }),
    // Due again now, with the same id and body.
    owner('post /webhooks/:id/resend', {
      admit: limitChanges(limiter, 'resends'),
      run: async ({ accountId, user, params: { id = '' } }) => {
        await resendWebhook({ db }, { id, accountId, actor: user.email });
      },
    }),
  ];
}
