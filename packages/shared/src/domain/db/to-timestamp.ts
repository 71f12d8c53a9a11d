/** Times that PostgreSQL and `toISOString` write alike: those of years with four digits. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Writes a bound of time as PostgreSQL reads it; `open` stands for an absent one. No row is of a year before 1 or after 9999. A
 * bound beyond them, such as the end of the last day, is the infinity of its side.
 */
export function toTimestamp(time: Date | undefined, open: 'infinity' | '-infinity'): string {
  if (!time) {
    return open;
  }
  if (time.getTime() > LAST) {
    return 'infinity';
  }
  return time.getTime() < FIRST ? '-infinity' : time.toISOString();
}
