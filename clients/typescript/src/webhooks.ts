import { WebhookError } from './errors.js';
import type { WebhookEvent } from './types.js';

/** Headers of a request as servers give them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;

/** Webhooks of finished tasks, signed as Standard Webhooks say. */
export class Webhooks {
  readonly #secret: string | undefined;

  constructor(secret: string | undefined) {
    this.#secret = secret;
  }

  /**
   * Checks the signature and the time of a webhook and returns its event. `body` is the body as it came, not parsed and written again.
   * Throws WebhookError. The same event can arrive more than once: `webhook-id` tells.
   */
  async unwrap(
    body: string | Uint8Array,
    headers: WebhookHeaders,
    secret = this.#secret,
  ): Promise<WebhookEvent> {
    if (secret === undefined) {
      throw new WebhookError(
        'Give the secret (whsec_…): webhookSecret of the client, or the third argument.',
      );
    }
    const read = (name: string): string => {
      const value = readHeader(headers, name);
      if (value === undefined) {
        throw new WebhookError(`The header ${name} is missing.`);
      }
      return value;
    };
    const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
      read,
    ) as [string, string, string];
    const age = Date.now() / 1_000 - Number(timestamp);
    if (!(Math.abs(age) <= TOLERANCE_SECONDS)) {
      throw new WebhookError('The webhook is older or newer than five minutes: is the clock right?');
    }
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
    const key = await crypto.subtle.importKey('raw', decodeSecret(secret), HMAC, false, ['verify']);
    const given = signatures.split(' ').filter((one) => one.startsWith('v1,'));
    for (const signature of given) {
      const bytes = decodeBase64(signature.slice(3));
      // `verify` compares in constant time.
      if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
        return JSON.parse(text) as WebhookEvent;
      }
    }
    throw new WebhookError('No signature of the webhook is right: is it the secret of this account?');
  }
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) {
    return headers.get(name) ?? undefined;
  }
  const value = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) {
      return null;
    }
    throw error;
  }
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.trim().replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0) {
    throw new WebhookError('The secret is not one of the gateway: it begins with whsec_.');
  }
  return bytes;
}
