import { Badge, type Tone } from './badge.js';

const TONES: Readonly<Record<string, Tone>> = {
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
  return <Badge tone={TONES[status] ?? 'none'}>{status}</Badge>;
}
