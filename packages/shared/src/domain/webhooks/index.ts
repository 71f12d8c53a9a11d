export { newWebhookSecret, type SignedContent, signWebhook } from './sign-webhook.js';
