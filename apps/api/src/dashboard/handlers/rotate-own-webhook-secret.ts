import type { WebhookSecretView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { rotateWebhookSecret } from '../../operations/webhook/rotate-webhook-secret.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/webhooks/secret/rotate`: a new secret; the one before signs too for 24 hours. */
export function rotateOwnWebhookSecret({ db }: { readonly db: Database }): Handler<OwnerCall> {
  return async ({ accountId, viewer }) => {
    const rotated = await rotateWebhookSecret({ db }, { accountId, actor: viewer.email });
    const view: WebhookSecretView = {
      secret: rotated.webhookSecret,
      previous_until: rotated.previousUntil.toISOString(),
    };
    return dataReply(view);
  };
}
