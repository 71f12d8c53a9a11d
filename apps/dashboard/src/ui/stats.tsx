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
