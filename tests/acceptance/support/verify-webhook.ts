import { createHmac } from 'node:crypto';
import { expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Delivery } from './servers/start-server.js';
import type { Task } from './servers/wire.js';

/** The body of a webhook. */
export interface WebhookEvent {
  type: 'task.completed' | 'task.failed';
  timestamp: string;
  data: Task;
}

/** The `v1,…` signature that this secret gives for a delivery, computed with nothing but HMAC-SHA256 over the raw bytes. */
export function computeSignature({ headers, raw }: Delivery, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  return `v1,${createHmac('sha256', key).update(start).update(raw).digest('base64')}`;
}

/** The signatures that a delivery carries. */
export function signaturesIn({ headers }: Delivery): string[] {
  return String(headers['webhook-signature']).split(' ');
}

/** Expects that both the reference library and a plain HMAC accept the delivery; gives its body. */
export function expectSigned(delivery: Delivery | undefined, secret: string): WebhookEvent {
  if (delivery === undefined) {
    throw new Error('no delivery');
  }
  const { headers, raw } = delivery;
  expect(signaturesIn(delivery)).toContain(computeSignature(delivery, secret));
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  return new Webhook(secret).verify(raw.toString(), signed) as WebhookEvent;
}
