import type { Behaviour } from './behaviour.js';

const DEFAULT_S = 2;

/** How long a refusal asks to be left alone, in whole seconds. */
export function getRetryAfterSeconds({ retryAfterS = DEFAULT_S }: Behaviour): number {
  return retryAfterS;
}
