import type { Bench } from '../stage/bench.js';
import { parseTarget } from './parse-target.js';

/** On a busy machine a process that has just been started accepts nothing for some time. */
const MAX_EMPTY_SECONDS = 15;

/** Submits as fast as the API takes it, until so many tasks are accepted or a few more. */
export async function fillBacklog(
  { loader }: Pick<Bench, 'loader'>,
  url: string,
  requests: readonly string[],
  count: number,
): Promise<void> {
  let emptySeconds = 0;
  for (let made = 0; made < count; ) {
    const load = { ...parseTarget([url]), connections: 128, requests, seconds: 1 };
    const { statuses } = await loader.run(load);
    const accepted = statuses[202] ?? 0;
    emptySeconds = accepted > 0 ? 0 : emptySeconds + 1;
    if (emptySeconds > MAX_EMPTY_SECONDS) {
      throw new Error(`nothing was accepted: ${JSON.stringify(statuses)}`);
    }
    made += accepted;
  }
}
