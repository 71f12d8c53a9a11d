export { newWebhookSecret } from './new-webhook-secret.js';
export { signWebhook } from './sign-webhook.js';
export type { SignedContent } from './signature-of.js';
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.js';
