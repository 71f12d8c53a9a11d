import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';

/** A row of numbers on one sheet; two beside each other on a phone. */
export function Stats({
  label,
  columns = 4,
  children,
}: {
  readonly label: string;
  readonly columns?: 3 | 4;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={label} className="overflow-hidden rounded-2xl border border-line bg-line">
      <dl
        className={cx(
          'grid gap-px',
          columns === 4 ? 'grid-cols-2 lg:grid-cols-4' : 'grid-cols-1 sm:grid-cols-3',
        )}
      >
        {children}
      </dl>
    </section>
  );
}

/** A number that matters, with its name. */
export function Stat({ name, value, note }: Readonly<{ name: string; value: ReactNode; note?: ReactNode }>) {
  return (
    <div className="min-w-0 bg-surface px-5 py-4 sm:px-6 sm:py-5">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="figures mt-1 truncate font-semibold text-2xl tracking-[-0.02em]">{value}</dd>
      {note !== undefined && <dd className="mt-0.5 text-[0.8125rem] text-muted">{note}</dd>}
    </div>
  );
}
