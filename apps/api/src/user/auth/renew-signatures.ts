import { createHmac, timingSafeEqual } from 'node:crypto';

const sign = (value: string, secret: string): string =>
  createHmac('sha256', secret).update(value).digest('base64');

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns a `Cookie` header with each value that a later secret signed signed by the first one, the only one that the library
 * knows. The library writes `<value>.<HMAC-SHA256 in base64>`, percent-encoded (better-call 1.x, crypto.mjs).
 */
export function renewSignatures(header: string, [first, ...former]: readonly [string, ...string[]]): string {
  if (former.length === 0) {
    return header;
  }
  return header
    .split('; ')
    .map((cookie) => {
      const [name = '', text = ''] = cookie.split('=', 2);
      const signed = decode(text);
      const value = signed.slice(0, signed.lastIndexOf('.'));
      const signature = signed.slice(value.length + 1);
      return former.some((secret) => isEqual(signature, sign(value, secret)))
        ? `${name}=${encodeURIComponent(`${value}.${sign(value, first)}`)}`
        : cookie;
    })
    .join('; ');
}
