import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signWebhook, verifyWebhook } from './index.js';

const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const now = 1_700_000_000;
const headersOf = (id: string, signature: string, seconds = now) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});

describe('webhook signatures', () => {
  test('the published test vector of Standard Webhooks gives the published signature', () => {
    const { secret, signature, ...content } = VECTOR;
    expect(signWebhook({ ...content, secrets: [secret] })).toBe(signature);
  });

  test('whatever bytes are signed, the standardwebhooks library accepts them, and any change of them is refused', () => {
    const secret = newWebhookSecret();
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const any = fc.record({
      body: fc.string({ unit: 'binary' }),
      id: fc.stringMatching(/^msg_[0-9A-Za-z]{22}$/),
    });
    fc.assert(
      fc.property(any, ({ body, id }) => {
        const signature = signWebhook({ id, timestampSeconds, body: Buffer.from(body), secrets: [secret] });
        const headers = headersOf(id, signature, timestampSeconds);
        new Webhook(secret).verify(JSON.stringify(body), {
          ...headers,
          'webhook-signature': signWebhook({
            id,
            timestampSeconds,
            body: JSON.stringify(body),
            secrets: [secret],
          }),
        });
        expect(verifyWebhook({ headers, body, secrets: [secret] })).toBe(true);
        expect(verifyWebhook({ headers, body: `${body} `, secrets: [secret] })).toBe(false);
        expect(
          verifyWebhook({ headers: { ...headers, 'webhook-id': `${id}x` }, body, secrets: [secret] }),
        ).toBe(false);
        expect(verifyWebhook({ headers, body, secrets: [newWebhookSecret()] })).toBe(false);
      }),
    );
  });

  test('what the standardwebhooks library signs is accepted', () => {
    const secret = newWebhookSecret();
    const body = '{"a":"ü"}';
    const signature = new Webhook(secret).sign('msg_1', new Date(now * 1000), body);
    expect(
      verifyWebhook({ headers: headersOf('msg_1', signature), body, secrets: [secret], nowSeconds: now }),
    ).toBe(true);
  });

  test('during a rotation each of two secrets verifies by itself, a third one does not', () => {
    const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
    const signature = signWebhook({
      id: 'msg_1',
      timestampSeconds: now,
      body: 'b',
      secrets: [current, previous],
    });
    const headers = headersOf('msg_1', signature);
    const accepts = (secret: string) =>
      verifyWebhook({ headers, body: 'b', secrets: [secret], nowSeconds: now });
    expect(signature.split(' ')).toHaveLength(2);
    expect([current, previous, newWebhookSecret()].map(accepts)).toEqual([true, true, false]);
  });

  test('a timestamp more than 300 seconds off is refused both ways, one exactly 300 seconds off is not', () => {
    const secret = newWebhookSecret();
    const signature = signWebhook({ id: 'msg_1', timestampSeconds: now, body: 'b', secrets: [secret] });
    const at = (nowSeconds: number) =>
      verifyWebhook({ headers: headersOf('msg_1', signature), body: 'b', secrets: [secret], nowSeconds });
    expect([now - 301, now - 300, now, now + 300, now + 301].map(at)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('missing, repeated or mangled headers are refused without an error', () => {
    const secret = newWebhookSecret();
    const good = headersOf(
      'msg_1',
      signWebhook({ id: 'msg_1', timestampSeconds: now, body: 'b', secrets: [secret] }),
    );
    const bad = [
      {},
      { ...good, 'webhook-id': undefined },
      { ...good, 'webhook-timestamp': 'soon' },
      { ...good, 'webhook-timestamp': `${now}.5` },
      { ...good, 'webhook-signature': '' },
      { ...good, 'webhook-signature': 'v1,' },
      { ...good, 'webhook-signature': good['webhook-signature'].replace('v1', 'v2') },
      { ...good, 'webhook-signature': [good['webhook-signature']] },
    ];
    for (const headers of bad) {
      expect(verifyWebhook({ headers, body: 'b', secrets: [secret], nowSeconds: now })).toBe(false);
    }
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
    for (const secret of secrets)
      expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  });
});
