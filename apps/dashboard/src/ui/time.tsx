import { relativeTime } from '../lib/relative-time.js';
import { useNow } from '../lib/use-now.js';

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
const short = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment: how long ago it was, or the time itself, with all of it on the title. */
export function Time({ iso, full = false }: { readonly iso: string; readonly full?: boolean }) {
  const now = useNow(15_000);
  const date = new Date(iso);
  return (
    <time dateTime={iso} title={exact.format(date)} className="figures whitespace-nowrap">
      {full ? short.format(date) : relativeTime(iso, now)}
    </time>
  );
}
