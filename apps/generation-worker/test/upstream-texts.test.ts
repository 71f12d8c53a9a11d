import type { Database } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import { deliver, failWith, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const OTHER_TASK_MS = 10_000;

/** Provider that says these words as the id of each call, and delivers what is asked for. */
const saying = (...ids: readonly unknown[]) =>
  scriptedProvider(async function* (request, call) {
    yield { type: 'upstream-id', id: ids[call % ids.length] };
    yield* deliver(request);
  });
const listIds = async () =>
  (await world.sql('SELECT DISTINCT provider_request_id AS id FROM provider_calls')).map(({ id }) => id);
/** The database, as it would be if the reader had let a text through that no column can hold. */
const withBadTexts = (db: Database): Database => ({
  ...db,
  run: (statement, values) => {
    const [input, ...rest] = values;
    const { upstream } = Object(input) as { readonly upstream?: string | null };
    return db.run(statement, upstream ? [{ ...Object(input), upstream: 'a\u0000b' }, ...rest] : values);
  },
});

describe("an upstream's own words", () => {
  test("an upstream's own words that no row can hold end no task later, and delay no other one", async () => {
    const bad = saying('a\u0000b', 'a\ud800b', 'x'.repeat(60_000), 'two words', 'für', 7, null, '');
    const worker = world.start(routerOver(bad));
    const ids = await Promise.all(Array.from({ length: 18 }, () => world.submit()));
    const startedAt = performance.now();
    const other = await world.submit({ model: 'nanobanana-pro' });
    expect(await world.ended(other, OTHER_TASK_MS)).toMatchObject({ status: 'completed' });
    expect(performance.now() - startedAt).toBeLessThan(OTHER_TASK_MS);
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
    }
    expect(await listIds()).toEqual([null]);
    await worker.stop();
    await world.sql('DELETE FROM provider_calls');
    await world.sql('SELECT recount()');
  });

  test("an upstream's own words are kept up to 200 visible characters, of a failed call too", async () => {
    const failing = scriptedProvider(async function* () {
      yield { type: 'upstream-id', id: 'req_f' };
      failWith('moderation');
    });
    const good = saying(`req_${'9'.repeat(196)}`);
    const worker = world.start(routerOver(good));
    await world.ended(await world.submit());
    await worker.stop();
    world.start(routerOver(failing));
    await world.ended(await world.submit());
    expect(new Set(await listIds())).toEqual(new Set([`req_${'9'.repeat(196)}`, 'req_f']));
    await world.sql('DELETE FROM provider_calls');
    await world.sql('SELECT recount()');
  });

  test.each([1, 2])(
    "an upstream's own words that the database refuses are left out, and a settlement of %i image(s) goes on",
    async (num_outputs) => {
      world.start(routerOver(saying('req_1')), { db: withBadTexts });
      const id = await world.submit({ num_outputs });
      expect(await world.ended(id, 5_000)).toMatchObject({ status: 'completed', stored_count: num_outputs });
      expect(await listIds()).toEqual([null]);
      const refused = world.lines.filter(({ message }) => message === 'internal error, trying again');
      expect(refused).toEqual([]);
    },
  );
});
