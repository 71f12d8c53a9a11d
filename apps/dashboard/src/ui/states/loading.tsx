import { cx } from '../../lib/cx.js';

/** Holds the place of what is being loaded. */
export function Loading({ rows = 3, className }: { readonly rows?: number; readonly className?: string }) {
  return (
    <div role="status" className={cx('grid gap-3 py-1', className)}>
      <span className="sr-only">Loading…</span>
      {Array.from({ length: rows }, (_, row) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          aria-hidden
          className="block h-5 animate-pulse rounded-md bg-sunken"
          style={{ width: `${92 - ((row * 17) % 45)}%` }}
        />
      ))}
    </div>
  );
}
