import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signWebhook } from './index.js';

const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const now = 1_700_000_000;
const buildHeaders = (id: string, signature: string, seconds: number) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});

describe('webhook signatures', () => {
  test('the published test vector of Standard Webhooks gives the published signature', () => {
    const { secret, signature, ...content } = VECTOR;
    expect(signWebhook({ ...content, secrets: [secret] })).toBe(signature);
  });

  test('signatures of any text verify with the standardwebhooks library; a change of text, id or secret does not', () => {
    const secret = newWebhookSecret();
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const any = fc.record({
      text: fc.string({ unit: 'grapheme' }),
      id: fc.stringMatching(/^msg_[0-9A-Za-z]{22}$/),
    });
    fc.assert(
      fc.property(any, ({ text, id }) => {
        const body = JSON.stringify(text);
        const signature = signWebhook({ id, timestampSeconds, body: Buffer.from(body), secrets: [secret] });
        const headers = buildHeaders(id, signature, timestampSeconds);
        expect(new Webhook(secret).verify(body, headers)).toEqual(text);
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
        expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': `${id}x` })).toThrow();
        expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
      }),
    );
  });

  test('during a rotation each of two secrets verifies by itself, a third one does not', () => {
    const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const secrets = [current, previous];
    const signature = signWebhook({ id: 'msg_1', timestampSeconds, body: '"b"', secrets });
    const verify = (secret: string) =>
      new Webhook(secret).verify('"b"', buildHeaders('msg_1', signature, timestampSeconds));
    expect(signature.split(' ')).toHaveLength(2);
    expect(secrets.map(verify)).toEqual(['b', 'b']);
    expect(() => verify(newWebhookSecret())).toThrow();
  });

  test('what could be read in two ways cannot be signed', () => {
    const content = { id: 'msg_1', timestampSeconds: now, body: 'b', secrets: [newWebhookSecret()] };
    expect(() => signWebhook({ ...content, id: 'msg.1' })).toThrow(RangeError);
    expect(() => signWebhook({ ...content, timestampSeconds: 1.5 })).toThrow(RangeError);
    expect(() => signWebhook({ ...content, secrets: [] })).toThrow(RangeError);
    expect(() => signWebhook({ ...content, secrets: ['whsec_'] })).toThrow(RangeError);
    expect(() => signWebhook({ ...content, secrets: ['plain text'] })).toThrow(RangeError);
  });

  test('a new secret carries 32 random bytes and never repeats', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    }
  });
});
