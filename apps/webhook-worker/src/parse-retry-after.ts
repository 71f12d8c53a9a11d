/** Reads a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) as seconds from now; null for none or nonsense. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // Date.parse would also take "1" or "2030": an HTTP date begins with the name of a day.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}
