import { LIMITS } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import { textSchema, urlRule } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { addWebhookTest, type WebhookTestDeps } from '../../operations/webhook/add-webhook-test.js';
import { findWebhookTest } from '../../operations/webhook/find-webhook-test.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';

const testWebhookBody: Joi.ObjectSchema<{ url: string }> = Joi.object({
  url: textSchema(urlRule({ max: LIMITS.webhookUrlCharacters, isAllowed: () => true }))
    .required()
    .messages({ '*': 'Enter the http or https URL of your receiver.' }),
}).required();

/** Keeps test events from being used to flood a receiver. */
const RATE = { limit: 10, windowSeconds: 60 };

/** `POST /dashboard/api/webhooks/test`: adds a test event, which a webhook worker sends at once. */
export function testWebhook(
  deps: WebhookTestDeps & {
    readonly db: PrismaDatabase;
    readonly limiter: RateLimiter;
    readonly isAllowedUrl: (url: string) => boolean;
  },
): OwnerHandler<'post /webhooks/test'> {
  return async ({ id: requestId, accountId, body }) => {
    const { url } = readBody(testWebhookBody, body);
    if (!deps.isAllowedUrl(url)) {
      throw new AppError('VALIDATION_ERROR', { publicMessage: 'The URL must point to the public Internet.' });
    }
    const decision = await deps.limiter.consume([{ policy: 'webhook-test', key: accountId, ...RATE }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    }
    const id = await addWebhookTest(deps, { accountId, url, requestId });
    return dataReply(await findWebhookTest(deps, { id, accountId }));
  };
}
