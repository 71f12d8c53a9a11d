const MAX_BYTES = 16_384;
const MAX_CHARACTERS = 200;
const FIELDS = ['error', 'message', 'detail', 'title', 'error_description', 'error_message', 'msg', 'reason'];
const MAX_DEPTH = 3;

/** Reads why a provider does not accept a key from its response; null where it does not say. The key itself never stands there. */
export function readReason(response: Buffer, secret: string | null): string | null {
  const body = parse(response.subarray(0, MAX_BYTES).toString('utf8'));
  const found = findText(body, 0);
  if (found === null) {
    return null;
  }
  const said = secret === null ? found : found.replaceAll(secret, '…');
  // Control characters would reach terminals.
  const text = said.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return text === '' ? null : [...text].slice(0, MAX_CHARACTERS).join('');
}

function findText(value: unknown, depth: number): string | null {
  if (typeof value === 'string') {
    return value;
  }
  if (depth === MAX_DEPTH || typeof value !== 'object' || value === null) {
    return null;
  }
  const fields: Readonly<Record<string, unknown>> = Array.isArray(value) ? { error: value[0] } : { ...value };
  for (const field of FIELDS) {
    const text = Object.hasOwn(fields, field) ? findText(fields[field], depth + 1) : null;
    if (text !== null) {
      return text;
    }
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A page of a proxy says nothing of the key.
    return null;
  }
}
