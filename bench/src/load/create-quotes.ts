import { isProduct } from '../report/find-fallen.js';
import type { Bench } from '../stage/bench.js';
import type { Contestant } from './compete.js';
import { createLoader } from './create-loader.js';
import { parseTarget } from './parse-target.js';

/** Quotes that are asked of the product while it does something else. */
export interface Quotes {
  /** Asks a contestant for as many seconds, and says how it answered; asks nothing of a baseline. */
  readonly ask: (contestant: Contestant, seconds: number) => Promise<void>;
  readonly stop: () => void;
}

const CONNECTIONS = 16;

/** Creates the quotes that `--quotes` asks for, from a process of their own. */
export function createQuotes(bench: Pick<Bench, 'flag' | 'say'>): Quotes {
  const perSecond = Number(bench.flag('quotes') ?? 0);
  if (perSecond === 0) {
    return { ask: () => Promise.resolve(), stop: () => undefined };
  }
  const loader = createLoader();
  return {
    ask: async (contestant, seconds) => {
      if ('perform' in contestant || !isProduct(contestant.name)) {
        return;
      }
      const requests = contestant.requests.map((request) =>
        Buffer.from(
          Buffer.from(request, 'base64').toString('latin1').replace('POST /v1/generate ', 'POST /v1/quote '),
          'latin1',
        ).toString('base64'),
      );
      const plan = {
        ...parseTarget(contestant.urls),
        seconds,
        connections: CONNECTIONS,
        requests,
        perSecond,
      };
      const { statuses, p50, p99 } = await loader.run(plan);
      bench.say(
        `  quotes   ${contestant.name.padEnd(14)} ${JSON.stringify(statuses)}  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`,
      );
    },
    stop: loader.stop,
  };
}
