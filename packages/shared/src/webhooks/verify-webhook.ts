import { timingSafeEqual } from 'node:crypto';
import { signatureOf } from './signature-of.js';

/** What a receiver has in its hands. */
export interface ReceivedWebhook {
  /** By lower-case name; `webhook-id`, `webhook-timestamp` and `webhook-signature` are read. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came, before any parsing. */
  readonly body: Buffer | string;
  readonly secrets: readonly string[];
  /** Unix seconds; the clock of this machine unless given. */
  readonly nowSeconds?: number;
  /** How far the timestamp may be off, both ways; 300 seconds unless given. */
  readonly toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;

/** Says whether one of the signatures fits one of the secrets and the timestamp is fresh. Compares in constant time. */
export function verifyWebhook(received: ReceivedWebhook): boolean {
  const { headers, body, secrets, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const timestampSeconds = Number(timestamp);
  const nowSeconds = received.nowSeconds ?? Math.floor(Date.now() / 1000);
  if (Math.abs(nowSeconds - timestampSeconds) > toleranceSeconds) return false;
  const given = signatures
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'));
  const expected = secrets.map((secret) => signatureOf(secret, { id, timestampSeconds, body }));
  return given.some((one) =>
    expected.some((right) => one.length === right.length && timingSafeEqual(one, right)),
  );
}
