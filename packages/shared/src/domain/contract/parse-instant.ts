const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Bounds of the years that PostgreSQL and JavaScript write in the same four digits. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses a date (midnight UTC) or a date and time with its offset. The instant lies in the years 0001 to 9999 of UTC. As in RFC
 * 3339, the letters may be in lower case. Returns null for anything else, days that do not exist included.
 */
export function parseInstant(text: string): Date | null {
  const given = text.toUpperCase();
  const [, year, month, day] = INSTANT.exec(given) ?? [];
  if (!year || !month || !day) {
    return null;
  }
  // Date would take the 30th of February for the 2nd of March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const time = Date.parse(given);
  return Number(day) <= lastDay && time >= FIRST_INSTANT && time <= LAST_INSTANT ? new Date(time) : null;
}

/** Parses a day of the calendar such as `2026-01-31` as its midnight in UTC; null for anything else. */
export function parseDay(text: string): Date | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(text) : null;
}
