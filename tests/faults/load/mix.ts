import type { Random } from '../random.js';
import type { Wish } from './submission.js';

/** A kind of request, and how often it comes. */
interface Kind {
  readonly weight: number;
  readonly wish: (random: Random) => Omit<Wish, 'webhook_url'>;
}

const KINDS: readonly Kind[] = [
  { weight: 55, wish: () => ({ prompt: 'sandbox:fixed' }) },
  {
    weight: 14,
    wish: (random) => ({ prompt: `sandbox:fixed sandbox:delay=${random.int(100, 1_200)}` }),
  },
  { weight: 10, wish: (random) => ({ prompt: 'sandbox:fixed', num_outputs: random.int(2, 4) }) },
  { weight: 6, wish: () => ({ prompt: 'sandbox:fixed sandbox:fail=once' }) },
  { weight: 5, wish: () => ({ prompt: 'sandbox:fixed sandbox:fail=moderation' }) },
  { weight: 3, wish: () => ({ prompt: 'sandbox:fixed sandbox:fail=invalid' }) },
  { weight: 3, wish: () => ({ prompt: 'sandbox:fixed sandbox:fail=upstream' }) },
  {
    weight: 4,
    wish: (random) => ({ prompt: `sandbox:fixed sandbox:outputs=${random.int(0, 2)}`, num_outputs: 3 }),
  },
];

/** Draws the next request for the sandbox provider: mostly plain images, some slow, some that fail. */
export function drawWish(random: Random): Omit<Wish, 'webhook_url'> {
  let left = random.next() * KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, wish } of KINDS) {
    left -= weight;
    if (left < 0) {
      return wish(random);
    }
  }
  return { prompt: 'sandbox:fixed' };
}
