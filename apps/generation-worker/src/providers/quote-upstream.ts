import type { ProviderKey } from './port.js';

const LONGEST = 300;

/** An upstream's words as the log may have them: at most 300 characters, and without the key, which some quote. */
export function quoteUpstream(text: unknown, key: ProviderKey | null): string {
  if (typeof text !== 'string') return '';
  const whole = key === null || key.secret === '' ? text : text.replaceAll(key.secret, '[key]');
  return whole.slice(0, LONGEST);
}
