import { LIMITS } from '@image-gateway/shared/contract';

/** Preferences of one header: commas separate them, except in quotes. */
const PREFERENCE = /(?:[^,"]|"(?:\\.|[^"\\])*")+/g;
const WAIT = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i;

/**
 * Returns the seconds of `Prefer: wait=N` (RFC 7240), from 1 to 55, or null. The first one counts. A preference that is not understood, or
 * can't be complied with, is ignored.
 */
export function parsePreferredWait(headers: readonly string[]): number | null {
  for (const preference of headers.flatMap((header) => header.match(PREFERENCE) ?? [])) {
    const [, digits] = WAIT.exec(preference) ?? [];
    if (digits !== undefined) {
      const seconds = Number(digits);
      return seconds >= 1 && seconds <= LIMITS.waitSeconds ? seconds : null;
    }
  }
  return null;
}
