import { createChoice } from './use-choice.js';

/** Time zone in which moments are shown. */
export type Zone = 'browser' | 'UTC';

const zoneChoice = createChoice<Zone>('zone', ['browser', 'UTC']);

/** The chosen time zone and how to choose another one. */
export const useZone = zoneChoice.use;

const DAY = { month: 'short', day: 'numeric', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** Creates a format of the pages; all of them are in English, as the pages are, and have 24 hours. */
function createFormat(options: Intl.DateTimeFormatOptions): (iso: string, zone?: Zone) => string {
  const formats = new Map<Zone, Intl.DateTimeFormat>();
  return (iso, zone = zoneChoice.read()) => {
    const format =
      formats.get(zone) ??
      new Intl.DateTimeFormat('en', { ...options, ...(zone === 'UTC' && { timeZone: 'UTC' }) });
    formats.set(zone, format);
    return format.format(new Date(iso));
  };
}

/** Formats a moment with its time zone, such as `Nov 28, 2026, 14:03:16 GMT+1`. */
export const formatMoment = createFormat({ ...DAY, ...CLOCK, second: '2-digit', timeZoneName: 'short' });

/** Formats a moment with its day of the week and its time zone. */
export const formatWhole = createFormat({
  ...DAY,
  ...CLOCK,
  weekday: 'long',
  month: 'long',
  second: '2-digit',
  timeZoneName: 'short',
});

const day = createFormat(DAY);
const shortDay = createFormat({ month: 'short', day: 'numeric' });
const hour = createFormat({ month: 'short', day: 'numeric', ...CLOCK });
const minute = createFormat({ ...DAY, ...CLOCK });

/** Formats a day of UTC, such as `2026-11-28` or a moment of it, as `Nov 28, 2026`. */
export const formatDay = (iso: string): string => day(iso, 'UTC');

/** Formats a day of UTC without its year, such as `Nov 28`. */
export const formatShortDay = (iso: string): string => shortDay(iso, 'UTC');

/** Formats an hour of UTC, such as `Nov 28, 14:00`. */
export const formatHour = (iso: string): string => hour(iso, 'UTC');

/** Formats what a field for days or for times holds, such as `2026-11-28T14:00`; null while that is no time. */
export function formatTyped(text: string): string | null {
  if (Number.isNaN(Date.parse(text))) {
    return null;
  }
  return text.length > 10 ? minute(`${text}Z`, 'UTC') : formatDay(text);
}

/** Names a time zone, such as `Europe/Berlin, GMT+1`. */
export function nameZone(zone: Zone): string {
  if (zone === 'UTC') {
    return 'UTC';
  }
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(new Date());
  const short = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  return short === timeZone ? timeZone : `${timeZone}, ${short}`;
}
