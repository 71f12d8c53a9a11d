import type { Wish } from '../faults/load/submission.js';

/** A kind of request whose end is known beforehand. */
export interface Kind {
  readonly wish: Omit<Wish, 'webhook_url'>;
  /** Images that are delivered and charged; 0 when the task has to fail. */
  readonly images: number;
  /** Sent with an own result as its input image, once there is one. */
  readonly edits?: boolean;
}

/** All kinds; each is sent in its turn, so that every step of the upgrade sees every kind. */
export const KINDS: readonly Kind[] = [
  { wish: { prompt: 'sandbox:fixed' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed sandbox:delay=1500' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed', num_outputs: 3 }, images: 3 },
  { wish: { prompt: 'sandbox:fixed sandbox:fail=moderation' }, images: 0 },
  { wish: { prompt: 'sandbox:fixed sandbox:fail=once' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed sandbox:outputs=1', num_outputs: 2 }, images: 1 },
  { wish: { prompt: 'sandbox:fixed' }, images: 1, edits: true },
];
