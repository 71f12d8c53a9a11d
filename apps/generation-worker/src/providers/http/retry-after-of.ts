const SECOND_MS = 1_000;
const MS = /^\d{1,12}(?:\.\d+)?$/;
// A header that came twice stands there as a list.
const SECONDS = /^(\d{1,9}(?:\.\d+)?)(?:\s*,|$)/;
// `Date.parse` finds a date in almost anything.
const DATE = /^[A-Z][a-z]{2,8},? /;

/** How long an answer asks to be left alone, in milliseconds, by its `retry-after-ms` or `Retry-After` (RFC 9110 section 10.2.3: seconds or a date); undefined when it does not say. */
export function parseRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = headers['retry-after-ms']?.trim() ?? '';
  if (MS.test(ms)) return Number(ms);
  const given = headers['retry-after']?.trim() ?? '';
  const seconds = SECONDS.exec(given)?.[1];
  if (seconds !== undefined) return Number(seconds) * SECOND_MS;
  const at = DATE.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
