import { formatMoment, formatWhole, useZone } from '../lib/times.js';
import { useNow } from '../lib/use-now.js';

/** A moment: how long ago it was, or the time itself, with all of it and its time zone on the title. */
export function Time({ iso, full = false }: { readonly iso: string; readonly full?: boolean }) {
  const now = useNow(15_000);
  const [zone] = useZone();
  const whole = formatWhole(iso, zone);
  const utc = formatMoment(iso, 'UTC');
  return (
    <time
      dateTime={iso}
      title={whole.endsWith(' UTC') ? whole : `${whole} (${utc})`}
      className="figures whitespace-nowrap"
    >
      {full ? formatMoment(iso, zone) : relativeTime(iso, now)}
    </time>
  );
}

const STEPS: readonly [limitSeconds: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [90, 'second', 1],
  [90 * 60, 'minute', 60],
  [36 * 3600, 'hour', 3600],
  [45 * 86_400, 'day', 86_400],
  [Number.POSITIVE_INFINITY, 'month', 30.44 * 86_400],
];
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Says how long ago a moment was, or how long it is still to come, such as `3 minutes ago`. */
function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Math.abs(seconds) < 5) {
    return 'just now';
  }
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  return step ? format.format(Math.round(seconds / step[2]), step[1]) : iso;
}
