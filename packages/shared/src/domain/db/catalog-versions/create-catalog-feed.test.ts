import { describe, expect, test } from '@jest/globals';
import { checkDocument } from '../../catalog/document/index.js';
import type { Database } from '../create-database.js';
import { createCatalogFeed, type StoredVersion } from './create-catalog-feed.js';

const HOUR_MS = 3_600_000;

/** Feed over versions of the test, with a clock of its own, that polls but once. */
function startFeed() {
  const checked = checkDocument('');
  const document: unknown = 'faults' in checked ? null : JSON.parse(JSON.stringify(checked.document));
  let time = 0;
  let newest = 1;
  let away: Error | null = null;
  const stale: unknown[] = [];
  const run = async (_statement: unknown, [after]: readonly unknown[]): Promise<StoredVersion[]> => {
    if (away) {
      throw away;
    }
    return newest > Number(after) ? [{ id: newest, createdAt: new Date(), document }] : [];
  };
  const feed = createCatalogFeed({
    db: { run: run as Database['run'] },
    onChange: () => undefined,
    onUnreadable: () => undefined,
    onStale: (error) => stale.push(error),
    now: () => time,
    pollMs: HOUR_MS,
  });
  return {
    feed,
    stale,
    pass: (ms: number) => {
      time += ms;
    },
    apply: () => {
      newest++;
    },
    goAway: (error: Error) => {
      away = error;
    },
  };
}

describe('the feed of the catalog', () => {
  test('after a quiet hour the first request has the newest version', async () => {
    const { feed, pass, apply } = startFeed();
    expect(await feed.load()).toMatchObject({ version: 1 });
    apply();
    pass(HOUR_MS);
    expect(await feed.load()).toMatchObject({ version: 2, newestVersion: 2 });
    feed.stop();
  });

  test('where the database is away after a quiet hour, the version that was known does, and that is told', async () => {
    const { feed, pass, apply, goAway, stale } = startFeed();
    await feed.load();
    apply();
    pass(HOUR_MS);
    const error = new Error('away');
    goAway(error);
    expect(await feed.load()).toMatchObject({ version: 1 });
    expect(stale).toEqual([error]);
    feed.stop();
  });
});
