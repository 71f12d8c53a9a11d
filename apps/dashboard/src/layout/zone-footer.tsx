import { nameZone, useZone, type Zone } from '../lib/times.js';

/** Says in which time zone times are, and lets choose it. */
export function ZoneFooter() {
  const [zone, choose] = useZone();
  const own = nameZone('browser');
  return (
    <footer className="mt-10 flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-t pt-4 text-muted text-xs">
      {own === 'UTC' ? (
        <span>Times are in UTC.</span>
      ) : (
        <label className="flex flex-wrap items-center gap-2">
          Times are in
          <select
            value={zone}
            onChange={({ target }) => choose(target.value as Zone)}
            className="min-h-8 max-w-full rounded-lg border border-line-strong bg-surface px-2 text-ink"
          >
            <option value="browser">{own}, as this browser</option>
            <option value="UTC">UTC</option>
          </select>
        </label>
      )}
      <span>Days of usage and of charges begin at 00:00 UTC.</span>
    </footer>
  );
}
