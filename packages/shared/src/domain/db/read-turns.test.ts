import { describe, expect, test } from '@jest/globals';
import { AppError } from '../errors/index.js';
import { createReadTurns, type ReadTurnsOptions } from './read-turns.js';

const turn = () => new Promise(setImmediate);
const settle = async () => {
  for (let i = 0; i < 10; i++) {
    await turn();
  }
};

/** Turns whose reads end when the test says so. */
function scene(options: Partial<ReadTurnsOptions> = {}) {
  const turns = createReadTurns({
    connections: 3,
    perOwner: 2,
    maxWaiting: 1_000,
    maxWaitMs: 60_000,
    isUnreachable: (error) => error instanceof Error && error.message === 'away',
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (rows: string) => void; reject: (error: Error) => void }>();
  const read = (owner: string, key: unknown, isShared = false): Promise<string> =>
    turns
      .run({
        owner,
        key,
        isShared,
        action: () => {
          const name = `${owner}${String(key)}`;
          begun.push(name);
          return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
        },
      })
      .catch((error: unknown) => (error instanceof AppError ? error.code : String(error)));
  return { begun, ends, read };
}

describe('turns of reads', () => {
  test('an owner has few reads under way, and the others wait for them, however many they are', async () => {
    const { begun, ends, read } = scene();
    const all = Array.from({ length: 200 }, (_, i) => read('a', i));
    await settle();
    expect(begun).toEqual(['a0', 'a1']);
    for (let i = 0; i < 200; i++) {
      ends.get(`a${i}`)?.resolve(`row ${i}`);
      await settle();
    }
    expect(await Promise.all(all)).toEqual(all.map((_, i) => `row ${i}`));
  });

  test('equal reads that wait together are one; a read that has begun is joined by nobody', async () => {
    const { begun, ends, read } = scene({ perOwner: 1 });
    const first = read('a', 'x');
    const together = read('a', 'x');
    await settle();
    const later = Array.from({ length: 100 }, () => read('a', 'x'));
    const others = [read('a', 'y'), read('b', 'x')];
    await settle();
    expect(begun).toEqual(['ax', 'bx']);
    ends.get('ax')?.resolve('old');
    expect(await Promise.all([first, together])).toEqual(['old', 'old']);
    await settle();
    expect(begun).toEqual(['ax', 'bx', 'ax']);
    ends.get('ax')?.resolve('new');
    expect(new Set(await Promise.all(later))).toEqual(new Set(['new']));
    await settle();
    ends.get('ay')?.resolve('y');
    ends.get('bx')?.resolve('b');
    expect(await Promise.all(others)).toEqual(['y', 'b']);
  });

  test('an error is that of all who shared the read', async () => {
    const { ends, read } = scene();
    const both = [read('a', 'x'), read('a', 'x')];
    await settle();
    ends.get('ax')?.reject(new Error('broken'));
    expect(await Promise.all(both)).toEqual(['Error: broken', 'Error: broken']);
  });

  test('owners with reads under way leave connections to others; owners that share a statement need none of their own', async () => {
    const { begun, ends, read } = scene();
    const many = Array.from({ length: 6 }, (_, i) => read('a', i));
    await settle();
    const other = read('b', 0);
    const third = read('c', 0);
    const shared = read('c', 'shared', true);
    await settle();
    expect([...begun].sort()).toEqual(['a0', 'a1', 'b0', 'cshared']);
    ends.get('a0')?.resolve('a');
    await settle();
    expect(begun.slice(4)).toEqual(['c0']);
    for (const name of ['b0', 'c0', 'cshared']) {
      ends.get(name)?.resolve(name);
    }
    expect(await Promise.all([other, third, shared])).toEqual(['b0', 'c0', 'cshared']);
    for (let i = 1; i < 6; i++) {
      ends.get(`a${i}`)?.resolve('a');
      await settle();
    }
    expect(await Promise.all(many)).toEqual(many.map(() => 'a'));
  });

  test('more reads of one owner than may wait are refused; those of others are not', async () => {
    const { ends, read } = scene({ perOwner: 1, maxWaiting: 5 });
    const first = read('a', 'x');
    await settle();
    const waiting = Array.from({ length: 5 }, (_, i) => read('a', i % 2));
    expect(await read('a', 'one more')).toBe('RATE_LIMITED');
    const other = read('b', 'x');
    await settle();
    for (const name of ['ax', 'bx', 'a0', 'a1']) {
      ends.get(name)?.resolve(name);
      await settle();
    }
    expect(await Promise.all([first, other, ...waiting])).toEqual(['ax', 'bx', 'a0', 'a1', 'a0', 'a1', 'a0']);
    const next = read('a', 'next');
    await settle();
    ends.get('anext')?.resolve('next');
    expect(await next).toBe('next');
  });

  test('a read waits as long as it may, counted from its own arrival, and then takes no turn', async () => {
    const { begun, ends, read } = scene({ perOwner: 1, maxWaitMs: 150 });
    const first = read('a', 'x');
    const early = read('a', 'y');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const late = read('a', 'y');
    const gone = read('a', 'z');
    expect(await early).toBe('SERVICE_UNAVAILABLE');
    ends.get('ax')?.resolve('x');
    expect(await first).toBe('x');
    await settle();
    expect(begun).toEqual(['ax', 'ay']);
    expect(await gone).toBe('SERVICE_UNAVAILABLE');
    ends.get('ay')?.resolve('y');
    expect(await late).toBe('y');
    await settle();
    expect(begun).toEqual(['ax', 'ay']);
  });

  test('an unreachable database is told to all who wait, and to nobody who comes later', async () => {
    const { ends, read } = scene({ connections: 1 });
    const first = read('a', 'x');
    const waiting = [read('a', 'y'), read('a', 'z'), read('b', 'x'), read('b', 'x')];
    await settle();
    ends.get('ax')?.reject(new Error('away'));
    expect(await Promise.all([first, ...waiting])).toEqual(Array(5).fill('Error: away'));
    const next = read('b', 'x');
    await settle();
    ends.get('bx')?.resolve('again');
    expect(await next).toBe('again');
  });

  test('many who share a read get it over several turns of the event loop', async () => {
    const { ends, read } = scene();
    let answered = 0;
    const all = Array.from({ length: 100 }, () => read('a', 'x').then(() => answered++));
    await settle();
    ends.get('ax')?.resolve('x');
    await turn();
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(50);
    await Promise.all(all);
  });
});
