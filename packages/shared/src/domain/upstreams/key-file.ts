import { isObject } from './protocol.js';

const MARKS = /private_key|refresh_token|-----BEGIN/;
const BYTE_ORDER_MARK = /^\uFEFF/;
const BEGIN_OF_OBJECT = /^\{\s*"/;

/** Returns the text of what looks like a key file, whole or in part, as it is or in base64; null for any other key. */
export function readKeyFile(key: string): string | null {
  const plain = clean(key);
  if (plain.startsWith('{') || MARKS.test(plain)) {
    return plain;
  }
  const decoded = clean(Buffer.from(plain, 'base64').toString('utf8'));
  // The parts of a token of another kind, such as a JWT, are no file.
  return !plain.includes('.') && (BEGIN_OF_OBJECT.test(decoded) || MARKS.test(decoded)) ? decoded : null;
}

/** Returns the object of a JSON text; null for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // A caller says which file has no JSON.
    return null;
  }
}

const clean = (text: string): string => text.replace(BYTE_ORDER_MARK, '').trim();
