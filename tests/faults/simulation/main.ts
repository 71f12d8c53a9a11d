import { startServices } from '../lab/start-services.js';
import { openStage } from './open-stage.js';
import { simulate } from './simulate.js';

const SECONDS = 60;

/**
 * Plays histories on services of their own: the first argument is the seed, the second for how many seconds. Exit code 1 when
 * one went wrong.
 */
async function main(): Promise<number> {
  const [seed = '1', seconds = String(SECONDS)] = process.argv.slice(2);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const services = await startServices(stopping.signal);
  const stage = await openStage();
  try {
    const result = await simulate(stage, {
      seed: Number(seed),
      forMs: Number(seconds) * 1_000,
      most: 100_000,
    });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return result.failed ? 1 : 0;
  } finally {
    await stage.close();
    await services.stop();
  }
}

process.exit(await main());
