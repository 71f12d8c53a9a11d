/** Formats a part of a whole. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

/** Formats milliseconds as seconds. */
export const seconds = (ms: number | null): string =>
  ms === null ? '–' : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** Formats milliseconds as seconds without zeros at the end, for the ticks of an axis. */
export const shortSeconds = (ms: number): string => `${Number((ms / 1000).toPrecision(3))} s`;

/** Formats the day and hour of an ISO time, in UTC. */
export const formatHour = (at: string): string => `${at.slice(5, 10)} ${at.slice(11, 16)} UTC`;

/** Formats the time between two ISO times. */
export function formatDuration(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** Says that calls are paused, and until when. */
export const describePause = (until: string | null): string =>
  until === null ? 'paused' : `paused until ${new Date(until).toLocaleString('en')}`;

/** Writes a number of bytes as people read it, such as `1.2 MB`. */
export function formatBytes(count: number): string {
  if (count < 1000) {
    return `${count} B`;
  }
  const [unit, size] =
    count < 1_000_000 ? ['kB', 1000] : count < 1_000_000_000 ? ['MB', 1_000_000] : ['GB', 1_000_000_000];
  return `${(count / size).toFixed(unit === 'kB' ? 0 : 1)} ${unit}`;
}

/** The number of dollars in a dollar string such as `$0.0100` or `-$1.00`: for drawing, never for sums. */
export function dollars(text: string): number {
  return Number(text.replace('$', ''));
}

/** Formats dollars for a look at a sum: whole ones from $1,000 on, cents from $1 on, and up to four places below. */
export function roundDollars(amount: number): string {
  const size = Math.abs(amount);
  return amount.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: size >= 1_000 ? 0 : 2,
    maximumFractionDigits: size >= 1_000 ? 0 : size >= 1 ? 2 : 4,
  });
}
