import type { Bench } from '../stage/bench.js';
import { parseTarget } from './parse-target.js';

/** Submits as fast as the API takes it, until so many tasks are accepted or a few more. */
export async function fillBacklog(
  { loader }: Pick<Bench, 'loader'>,
  url: string,
  requests: readonly string[],
  count: number,
): Promise<void> {
  for (let made = 0; made < count; ) {
    const load = { ...parseTarget([url]), connections: 128, requests, seconds: 1 };
    const { statuses } = await loader.run(load);
    if (!statuses[202]) {
      throw new Error(`nothing was accepted: ${JSON.stringify(statuses)}`);
    }
    made += statuses[202];
  }
}
