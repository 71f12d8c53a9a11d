import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';

/** Meaning of a badge, which decides its colour. */
export type Tone = 'good' | 'bad' | 'wait' | 'warm' | 'none';

const TONES: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  wait: 'bg-wait-soft text-wait',
  warm: 'bg-accent-soft text-accent',
  none: 'bg-sunken text-muted',
};

/** A word about the state of something; the word says it, the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2.5 py-0.5 font-medium text-xs',
        TONES[tone],
      )}
    >
      <span aria-hidden className="size-1.5 rounded-full bg-current" />
      {children}
    </span>
  );
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  pending: 'wait',
  waiting: 'wait',
  delayed: 'none',
  sending: 'wait',
  running: 'wait',
  completed: 'good',
  delivered: 'good',
  active: 'good',
  failed: 'bad',
  suspended: 'bad',
};

/** The state of a task, a delivery or an account. */
export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={STATUS_TONES[status] ?? 'none'}>{status}</Badge>;
}
