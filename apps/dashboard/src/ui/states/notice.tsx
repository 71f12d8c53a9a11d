import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.js';

const KINDS = {
  bad: ['border-bad/30 bg-bad-soft text-bad', CircleAlert],
  good: ['border-good/30 bg-good-soft text-good', CircleCheck],
  info: ['border-line bg-sunken text-ink', Info],
} as const;

/** Important message; errors are announced to screen readers at once. */
export function Notice({
  kind,
  children,
  action,
}: {
  readonly kind: keyof typeof KINDS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  const [looks, Icon] = KINDS[kind];
  return (
    <div
      role={kind === 'bad' ? 'alert' : 'status'}
      className={cx('flex flex-wrap items-center gap-3 rounded-xl border px-4 py-3 text-sm', looks)}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  );
}
