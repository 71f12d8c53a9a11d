import type { Wish } from '../faults/load/submission.js';

/** A kind of request whose end is known beforehand. */
export interface Kind {
  readonly wish: Omit<Wish, 'webhook_url'>;
  /** Images that are delivered and charged; 0 when the task has to fail. */
  readonly images: number;
  /** Input images: an own result, once there is one, and an image of somebody else's server. */
  readonly inputs?: readonly ('result' | 'foreign')[];
  /** Sent with the key that gets a cap later. */
  readonly capped?: boolean;
}

/** All kinds; each is sent in its turn, so that every step of the upgrade sees every kind. */
export const KINDS: readonly Kind[] = [
  { wish: { prompt: 'sandbox:fixed' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed sandbox:delay=1500' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed', num_outputs: 3 }, images: 3 },
  { wish: { prompt: 'sandbox:fixed sandbox:fail=moderation' }, images: 0 },
  { wish: { prompt: 'sandbox:fixed sandbox:fail=once' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed sandbox:outputs=1', num_outputs: 2 }, images: 1 },
  { wish: { prompt: 'sandbox:fixed' }, images: 1, inputs: ['result'] },
  { wish: { prompt: 'sandbox:fixed' }, images: 1, inputs: ['foreign'] },
  { wish: { prompt: 'sandbox:fixed', num_outputs: 4 }, images: 4, inputs: ['foreign', 'result', 'foreign'] },
  { wish: { prompt: 'sandbox:fixed sandbox:fail=invalid' }, images: 0 },
  { wish: { prompt: 'sandbox:fixed' }, images: 1, capped: true },
  { wish: { prompt: 'sandbox:fixed', seed: 7, output_format: 'jpeg' }, images: 1 },
  { wish: { prompt: 'sandbox:fixed', seed: 8, num_outputs: 2 }, images: 2 },
];
