import type { ClaimedDelivery, DueDelivery } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import { createDispatcher } from './create-dispatcher.js';
import { createPlaces } from './create-places.js';
import type { Wanted } from './find-due.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A dispatcher over a table in memory, whose posts end when they are told to. */
function setUp({ total = 10, perHost = 2, broken = (): boolean => false } = {}) {
  const rows = new Map<string, { hostPort: string; state: 'due' | 'sending' | 'done' }>();
  const ends = new Map<string, () => void>();
  const looks: Wanted[] = [];
  const errors: unknown[] = [];
  const dueOf = (match: (id: string, hostPort: string) => boolean): DueDelivery[] =>
    [...rows]
      .filter(([id, { hostPort, state }]) => state === 'due' && match(id, hostPort))
      .map(([id, { hostPort }]) => ({ id, hostPort, lateMs: 1 }));
  const dispatcher = createDispatcher({
    places: createPlaces({ total, perHost }),
    perHost,
    findDue: async (wanted) => {
      looks.push(wanted);
      if (broken()) throw new Error('no database');
      if (wanted.everything) return dueOf(() => true);
      const ofHosts = wanted.hosts.flatMap((host) =>
        dueOf((_, hostPort) => hostPort === host).slice(0, perHost),
      );
      return [...dueOf((id) => wanted.ids.includes(id)), ...ofHosts];
    },
    claim: async (ids) => {
      const won = ids.filter((id) => rows.get(id)?.state === 'due');
      for (const id of won) rows.set(id, { hostPort: rows.get(id)?.hostPort ?? '', state: 'sending' });
      return won.map((id) => ({ id, hostPort: rows.get(id)?.hostPort ?? '' }) as ClaimedDelivery);
    },
    deliver: ({ id }) => new Promise<void>((resolve) => ends.set(id, resolve)),
    onError: (error) => errors.push(error),
  });
  const sending = (): string[] => [...rows].filter(([, { state }]) => state === 'sending').map(([id]) => id);
  const end = async (id: string): Promise<void> => {
    rows.set(id, { hostPort: rows.get(id)?.hostPort ?? '', state: 'done' });
    ends.get(id)?.();
    await settle();
  };
  const add = (id: string, hostPort: string) => rows.set(id, { hostPort, state: 'due' });
  return { dispatcher, add, sending, end, looks, errors, rows };
}

describe('the dispatcher', () => {
  test('a hinted delivery is sent at once, and nothing else is looked for', async () => {
    const { dispatcher, add, sending, looks } = setUp();
    add('a1', 'a:80');
    add('b1', 'b:80');
    dispatcher.hint('a1');
    await settle();
    expect(sending()).toEqual(['a1']);
    expect(looks).toEqual([{ ids: ['a1'], hosts: [], everything: false }]);
  });

  test('when a post ends the next one for the same receiver begins without waiting for a look', async () => {
    const { dispatcher, add, sending, end } = setUp();
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) add(id, 'a:80');
    dispatcher.lookForAll();
    await settle();
    expect(sending()).toEqual(['a1', 'a2']);
    for (const id of ['a1', 'a2', 'a3']) await end(id);
    expect(sending()).toEqual(['a4', 'a5']);
  });

  test('when all is sent no further look is made', async () => {
    const { dispatcher, add, end, looks } = setUp();
    add('a1', 'a:80');
    dispatcher.lookForAll();
    await settle();
    await end('a1');
    expect(looks).toHaveLength(1);
  });

  test('a full house gives the place that becomes free to a receiver that has none', async () => {
    const { dispatcher, add, sending, end } = setUp({ total: 2, perHost: 2 });
    add('a1', 'a:80');
    add('b1', 'b:80');
    dispatcher.lookForAll();
    await settle();
    add('a2', 'a:80');
    add('c1', 'c:80');
    dispatcher.lookForAll();
    await settle();
    await end('b1');
    expect(sending()).toEqual(['a1', 'c1']);
  });

  test('hints that come during a round are not lost', async () => {
    const { dispatcher, add, sending } = setUp({ total: 64 });
    for (let i = 0; i < 20; i++) {
      add(`h${i}`, `h${i}:80`);
      dispatcher.hint(`h${i}`);
      await Promise.resolve();
    }
    await settle();
    expect(sending()).toHaveLength(20);
  });

  test('places of deliveries that somebody else claimed are given back', async () => {
    const { dispatcher, add, sending, rows } = setUp({ total: 2, perHost: 2 });
    const taken = new Proxy({ hostPort: 'a:80', state: 'due' as const }, {});
    let asked = 0;
    Object.defineProperty(taken, 'state', { get: () => (asked++ === 0 ? 'due' : 'done') });
    rows.set('a1', taken);
    dispatcher.lookForAll();
    await settle();
    add('a2', 'a:80');
    add('a3', 'b:80');
    dispatcher.lookForAll();
    await settle();
    expect(sending()).toEqual(['a2', 'a3']);
  });

  test('a look that fails is reported, and the next one goes on', async () => {
    let broken = true;
    const { dispatcher, add, sending, errors } = setUp({ broken: () => broken });
    add('a1', 'a:80');
    dispatcher.hint('a1');
    await settle();
    expect([sending(), errors.length]).toEqual([[], 1]);
    broken = false;
    dispatcher.lookForAll();
    await settle();
    expect(sending()).toEqual(['a1']);
  });

  test('draining starts nothing new and waits for what is under way', async () => {
    const { dispatcher, add, sending, end } = setUp();
    add('a1', 'a:80');
    dispatcher.lookForAll();
    await settle();
    let drained = false;
    const draining = dispatcher.drain().then(() => {
      drained = true;
    });
    add('b1', 'b:80');
    dispatcher.hint('b1');
    await settle();
    expect([sending(), drained]).toEqual([['a1'], false]);
    await end('a1');
    await draining;
    expect(sending()).toEqual([]);
  });
});
