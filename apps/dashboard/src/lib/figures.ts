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
