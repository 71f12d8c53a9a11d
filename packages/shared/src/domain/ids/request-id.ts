import { base62, parseBase62, randomBase62 } from './base62.js';

/** Base-62 characters of the time in milliseconds; they last until 2081. */
const TIME_LENGTH = 7;
/** No request id before this carried its time. */
const FIRST_MS = Date.UTC(2026, 10, 28);
const PATTERN = new RegExp(`^req_([0-9A-Za-z]{${TIME_LENGTH}})[0-9A-Za-z]{15}$`);

/** Returns a new request id, `req_…`: its time, so that the tasks of a request are found among millions, and 89 random bits. */
export function newRequestId(now: number = Date.now()): string {
  return `req_${base62(BigInt(now), TIME_LENGTH)}${randomBase62(89)}`;
}

/** Returns the time of a request id that this gateway made; null for a client's own, and for one of a release before 0.4.0. */
export function readRequestTime(id: string, now: number = Date.now()): Date | null {
  const [, text] = PATTERN.exec(id) ?? [];
  const time = text === undefined ? 0 : Number(parseBase62(text));
  return time >= FIRST_MS && time <= now + 60_000 ? new Date(time) : null;
}
