const SECOND_MS = 1_000;

/** How long an answer asks to be left alone, in milliseconds, by its `retry-after-ms` or `Retry-After` (RFC 9110 section 10.2.3: seconds or a date); undefined when it does not say. */
export function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const given = headers['retry-after']?.trim();
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * SECOND_MS);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
