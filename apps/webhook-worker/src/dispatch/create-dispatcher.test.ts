import type { ClaimedDelivery, DueDelivery } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import { createDispatcher } from './create-dispatcher.js';
import { createSlots } from './create-slots.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const ACCOUNT = 'acc';

/** A dispatcher over a table in memory, whose posts end when they are told to. Each row is of an account of its own unless named. */
function setUp({
  total = 10,
  broken = (): boolean => false,
  slowLook = false,
  recording = async (_id: string): Promise<void> => undefined,
} = {}) {
  const rows = new Map<string, { accountId: string; hostPort: string; state: 'due' | 'sending' | 'done' }>();
  const ends = new Map<string, () => void>();
  const asked: string[] = [];
  const errors: unknown[] = [];
  const perReceiver = 2;
  const find = async (what: string, match: (entry: DueDelivery) => boolean): Promise<DueDelivery[]> => {
    asked.push(what);
    if (broken()) {
      throw new Error('no database');
    }
    return [...rows]
      .filter(([, { state }]) => state === 'due')
      .map(([id, { accountId, hostPort }]) => ({ id, accountId, hostPort, lateMs: 1 }))
      .filter(match);
  };
  const dispatcher = createDispatcher({
    slots: createSlots({ total, perHost: 2 * perReceiver, perReceiver }),
    perReceiver,
    search: () => (slowLook ? new Promise(() => undefined) : find('everything', () => true)),
    findDueById: (ids) => find(`ids ${ids.join()}`, ({ id }) => ids.includes(id)),
    findDueByReceiver: async (receivers) => {
      const of = receivers.map((receiver) =>
        find(`of ${receiver.hostPort}`, ({ hostPort }) => hostPort === receiver.hostPort),
      );
      return (await Promise.all(of)).flatMap((found) => found.slice(0, perReceiver));
    },
    claim: async (ids) => {
      const won = ids.filter((id) => rows.get(id)?.state === 'due');
      return won.map((id) => {
        const row = rows.get(id) ?? { accountId: '', hostPort: '' };
        rows.set(id, { ...row, state: 'sending' });
        return { id, ...row } as unknown as ClaimedDelivery;
      });
    },
    deliver: ({ id }) =>
      new Promise((resolve) => ends.set(id, () => resolve({ responded: true, recorded: recording(id) }))),
    onError: (error) => errors.push(error),
  });
  const sending = (): string[] => [...rows].filter(([, { state }]) => state === 'sending').map(([id]) => id);
  const end = async (id: string): Promise<void> => {
    const row = rows.get(id);
    if (row) {
      rows.set(id, { ...row, state: 'done' });
    }
    ends.get(id)?.();
    await settle();
  };
  const add = (id: string, hostPort: string, accountId = ACCOUNT) =>
    rows.set(id, { accountId, hostPort, state: 'due' });
  return { dispatcher, add, sending, end, asked, errors, rows };
}

describe('the dispatcher', () => {
  test('a hinted delivery is sent at once, and nothing else is looked for', async () => {
    const { dispatcher, add, sending, asked } = setUp();
    add('a1', 'a:80');
    add('b1', 'b:80');
    dispatcher.hint('a1');
    await settle();
    expect(sending()).toEqual(['a1']);
    expect(asked).toEqual(['ids a1']);
  });

  test('when a post ends the next one for the same receiver begins without waiting for a search', async () => {
    const { dispatcher, add, sending, end } = setUp();
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) {
      add(id, 'a:80');
    }
    dispatcher.searchAll();
    await settle();
    expect(sending()).toEqual(['a1', 'a2']);
    for (const id of ['a1', 'a2', 'a3']) {
      await end(id);
    }
    expect(sending()).toEqual(['a4', 'a5']);
  });

  test('the next posts begin while outcomes are recorded, but no more once a hundred outcomes wait, and draining waits for them', async () => {
    const unrecorded: (() => void)[] = [];
    const { dispatcher, add, sending, end } = setUp({
      recording: () => new Promise((resolve) => unrecorded.push(resolve)),
    });
    const endOne = async () => end(sending()[0] ?? '');
    for (let i = 0; i < 200; i++) {
      add(`a${i}`, `h${i}:80`, `acc${i}`);
    }
    dispatcher.searchAll();
    await settle();
    const posts = sending().length;
    for (let i = 0; i < 100; i++) {
      await endOne();
    }
    expect([sending().length, unrecorded.length]).toEqual([posts, 100]);
    await endOne();
    expect(sending().length).toBe(posts - 1);
    unrecorded.pop()?.();
    await settle();
    expect(sending().length).toBe(posts);
    const drained = dispatcher.drain();
    while (sending().length > 0) {
      await endOne();
    }
    expect(await Promise.race([drained, settle().then(() => 'not yet')])).toBe('not yet');
    for (const recorded of unrecorded) {
      recorded();
    }
    await drained;
  });

  test('what was read and got no slot follows without being read again, and then the rest', async () => {
    const { dispatcher, add, sending, end, asked } = setUp();
    for (const id of ['a1', 'a2', 'a3', 'a4']) {
      add(id, 'a:80');
    }
    dispatcher.searchAll();
    await settle();
    add('a5', 'a:80');
    for (const id of ['a1', 'a2']) {
      await end(id);
    }
    expect([sending(), asked]).toEqual([['a3', 'a4'], ['everything']]);
    await end('a3');
    expect([sending(), asked]).toEqual([
      ['a4', 'a5'],
      ['everything', 'of a:80'],
    ]);
  });

  test('where another process has claimed what was remembered, the slot is used at once for what is left', async () => {
    const { dispatcher, add, sending, end, rows } = setUp();
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) {
      add(id, 'a:80');
    }
    dispatcher.searchAll();
    await settle();
    for (const id of ['a3', 'a4']) {
      rows.set(id, { accountId: ACCOUNT, hostPort: 'a:80', state: 'done' });
    }
    await end('a1');
    await settle();
    expect(sending()).toEqual(['a2', 'a5']);
  });

  test('a hint for a receiver does not make it forget what waited before', async () => {
    const { dispatcher, add, sending, end } = setUp();
    for (const id of ['a1', 'a2', 'a3']) {
      add(id, 'a:80');
    }
    dispatcher.searchAll();
    await settle();
    add('a4', 'a:80');
    dispatcher.hint('a4');
    await settle();
    for (const id of ['a1', 'a2']) {
      await end(id);
    }
    expect(sending().sort()).toEqual(['a3', 'a4']);
  });

  test('when all is sent no further search is made', async () => {
    const { dispatcher, add, end, asked } = setUp();
    add('a1', 'a:80');
    dispatcher.searchAll();
    await settle();
    await end('a1');
    expect(asked).toEqual(['everything']);
  });

  test('a full house gives the slot that becomes free to an account that has none', async () => {
    const { dispatcher, add, sending, end } = setUp({ total: 2 });
    add('a1', 'a:80', 'a');
    add('b1', 'b:80', 'b');
    dispatcher.searchAll();
    await settle();
    add('a2', 'x:80', 'a');
    add('c1', 'c:80', 'c');
    dispatcher.searchAll();
    await settle();
    await end('b1');
    expect(sending()).toEqual(['a1', 'c1']);
  });

  test('hints that come during a round are not lost', async () => {
    const { dispatcher, add, sending } = setUp({ total: 64 });
    for (let i = 0; i < 20; i++) {
      add(`h${i}`, `h${i}:80`, `account${i}`);
      dispatcher.hint(`h${i}`);
      await Promise.resolve();
    }
    await settle();
    expect(sending()).toHaveLength(20);
  });

  test('slots of deliveries that somebody else claimed are given back', async () => {
    const { dispatcher, add, sending, rows } = setUp({ total: 2 });
    const taken = { accountId: 'a', hostPort: 'a:80', state: 'due' as const };
    let asked = 0;
    Object.defineProperty(taken, 'state', { get: () => (asked++ === 0 ? 'due' : 'done') });
    rows.set('a1', taken);
    dispatcher.searchAll();
    await settle();
    add('a2', 'a:80', 'a');
    add('b1', 'b:80', 'b');
    dispatcher.searchAll();
    await settle();
    expect(sending()).toEqual(['a2', 'b1']);
  });

  test('a search that fails is reported, and the next one goes on', async () => {
    let broken = true;
    const { dispatcher, add, sending, errors } = setUp({ broken: () => broken });
    add('a1', 'a:80');
    dispatcher.searchAll();
    await settle();
    expect([sending(), errors.length]).toEqual([[], 1]);
    broken = false;
    dispatcher.searchAll();
    await settle();
    expect(sending()).toEqual(['a1']);
  });

  test('a hint whose round fails is kept: the next hint, of something else, brings it along', async () => {
    let broken = true;
    const { dispatcher, add, sending, asked } = setUp({ broken: () => broken });
    add('a1', 'a:80');
    dispatcher.hint('a1');
    await settle();
    broken = false;
    dispatcher.hint('unknown');
    await settle();
    expect([sending(), asked]).toEqual([['a1'], ['ids a1', 'ids a1,unknown']]);
  });

  test('a hint does not wait for a search that never ends, nor does the next post of a receiver', async () => {
    const { dispatcher, add, sending, end } = setUp({ slowLook: true });
    dispatcher.searchAll();
    for (const id of ['a1', 'a2', 'a3']) {
      add(id, 'a:80');
      dispatcher.hint(id);
    }
    await settle();
    expect(sending()).toEqual(['a1', 'a2']);
    await end('a1');
    expect(sending()).toEqual(['a2', 'a3']);
  });

  test('draining starts nothing new and waits for what is under way', async () => {
    const { dispatcher, add, sending, end } = setUp();
    add('a1', 'a:80');
    dispatcher.searchAll();
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
