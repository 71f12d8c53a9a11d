import type { WebhookTestView } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import Joi from 'joi';
import { sendTestWebhook, type TestWebhookDeps } from '../../operations/webhook/send-test-webhook.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';

const testWebhookBody: Joi.ObjectSchema<{ url: string }> = Joi.object({
  url: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(2048)
    .required()
    .messages({ '*': 'Enter the http or https URL of your receiver.' }),
}).required();

/** A gateway is no tool for knocking at other people's doors. */
const RATE = { limit: 10, windowSeconds: 60 };

/** `POST /dashboard/api/webhooks/test`: sends a signed test event and says how it was taken. */
export function testWebhook(
  deps: TestWebhookDeps & {
    readonly limiter: RateLimiter;
    readonly isAllowedUrl: (url: string) => boolean;
  },
): OwnerHandler<'post /webhooks/test'> {
  return async ({ accountId, body }) => {
    const { url } = readBody(testWebhookBody, body);
    if (!deps.isAllowedUrl(url))
      throw new AppError('VALIDATION_ERROR', { publicMessage: 'The URL must lead to the public Internet.' });
    const decision = await deps.limiter.consume([{ policy: 'webhook-test', key: accountId, ...RATE }]);
    if (!decision.allowed)
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    const startedAt = performance.now();
    const sent = await sendTestWebhook(deps, { accountId, url });
    const view: WebhookTestView = { ...sent, ms: Math.round(performance.now() - startedAt) };
    return dataReply(view);
  };
}
