/** The fields of a payload; throws RangeError when it is not an object. */
export function recordOf(data: unknown): Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new RangeError('the payload is no object');
  return data as Record<string, unknown>;
}

/** An id such as `gen_…` in a payload; throws RangeError when it is anything else. */
export function idIn(fields: Readonly<Record<string, unknown>>, name: string, prefix: string): string {
  const value = fields[name];
  if (typeof value === 'string' && new RegExp(`^${prefix}_[0-9A-Za-z]{22,64}$`).test(value)) return value;
  throw new RangeError(`${name} is no ${prefix}_ id`);
}

/** The attempt number in a payload; throws RangeError when it is no whole number of at least 0. */
export function attemptIn({ attempt }: Readonly<Record<string, unknown>>): number {
  if (typeof attempt === 'number' && Number.isSafeInteger(attempt) && attempt >= 0) return attempt;
  throw new RangeError('attempt is no whole number');
}

/** The trace id in a payload; throws RangeError when it is not 1 to 128 characters of `A-Za-z0-9._-`. */
export function traceIdIn({ traceId }: Readonly<Record<string, unknown>>): string {
  if (typeof traceId === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(traceId)) return traceId;
  throw new RangeError('traceId is no trace id');
}
