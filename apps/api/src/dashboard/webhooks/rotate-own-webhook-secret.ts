import type { WebhookSecretView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { rotateWebhookSecret } from '../../operations/webhook/rotate-webhook-secret.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `POST /dashboard/api/webhooks/secret/rotate`: a new secret; the one before signs too for 24 hours. */
export function rotateOwnWebhookSecret({
  db,
}: {
  readonly db: Database;
}): OwnerHandler<'post /webhooks/secret/rotate'> {
  return async ({ accountId, user }) => {
    const rotated = await rotateWebhookSecret({ db }, { accountId, actor: user.email });
    const view: WebhookSecretView = {
      secret: rotated.webhookSecret,
      previous_until: rotated.previousUntil.toISOString(),
    };
    return dataReply(view);
  };
}
