import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Gives work an empty PostgreSQL: the one of a test run when there is one, else one that is gone afterwards.
 * @template T
 * @param {(url: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withThrowAwayDatabase(work) {
  if (process.env.TEST_DATABASE_URL) return work(process.env.TEST_DATABASE_URL);
  await bootstrap({ goals: ['install', 'build-stack'], out: process.stderr });
  const { startTestServices } = await import('../packages/local-stack/dist/index.js');
  const controller = new AbortController();
  const services = await startTestServices({
    wanted: new Set(['postgres']),
    cacheDir: path.join(root, '.cache'),
    out: process.stderr,
    signal: controller.signal,
  });
  try {
    return await work(services.env.TEST_DATABASE_URL);
  } finally {
    await services.stop();
  }
}
