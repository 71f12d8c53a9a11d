import type { DueDelivery } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseDeliveries } from './choose-deliveries.js';
import { createPlaces } from './create-places.js';
import { waitingHostsAfter } from './waiting-hosts.js';

const due = (hostPort: string, count: number, lateMs = 1): DueDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${hostPort}-${index}`,
    hostPort,
    lateMs: lateMs - index / 1000,
  }));
const countOf = (chosen: readonly DueDelivery[], hostPort: string): number =>
  chosen.filter((entry) => entry.hostPort === hostPort).length;

describe('places', () => {
  test('one receiver has at most five of them', () => {
    const places = createPlaces({ total: 64, perHost: 5 });
    expect(Array.from({ length: 7 }, () => places.take('a:80'))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    places.give('a:80');
    expect(places.take('a:80')).toBe(true);
  });

  test('however many dead receivers hold all that they can get, one that has none finds a place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (dead) => {
        const places = createPlaces({ total: 64, perHost: 5 });
        for (let round = 0; round < 10; round++)
          for (let host = 0; host < dead; host++) places.take(`dead${host}:80`);
        expect(places.take('healthy:80')).toBe(true);
      }),
    );
  });

  test('even one place in all is used, and no more than there are', () => {
    const places = createPlaces({ total: 1, perHost: 5 });
    expect([places.take('a:80'), places.take('b:80'), places.running()]).toEqual([true, false, 1]);
  });

  test('giving back what was not taken is a fault', () => {
    expect(() => createPlaces({ total: 1, perHost: 1 }).give('a:80')).toThrow(RangeError);
  });
});

describe('choosing', () => {
  test('a backlog of one receiver, however old, leaves room for every other', () => {
    const places = createPlaces({ total: 20, perHost: 5 });
    const chosen = chooseDeliveries(
      [...due('dead:80', 500, 1e9), ...due('a:80', 1), ...due('b:80', 1)],
      places,
    );
    expect([countOf(chosen, 'a:80'), countOf(chosen, 'b:80'), countOf(chosen, 'dead:80')]).toEqual([1, 1, 5]);
  });

  test('among equals the oldest goes first', () => {
    const places = createPlaces({ total: 2, perHost: 1 });
    const chosen = chooseDeliveries(
      [...due('a:80', 1, 10), ...due('b:80', 1, 30), ...due('c:80', 1, 20)],
      places,
    );
    expect(chosen.map(({ hostPort }) => hostPort)).toEqual(['b:80', 'c:80']);
  });

  test('a delivery that was found twice is chosen once', () => {
    const places = createPlaces({ total: 20, perHost: 5 });
    expect(chooseDeliveries([...due('a:80', 1), ...due('a:80', 1)], places)).toHaveLength(1);
    expect(places.running()).toBe(1);
  });
});

describe('what is known to wait', () => {
  const look = (
    wanted: { hosts?: string[]; everything?: boolean },
    found: DueDelivery[],
    chosen: DueDelivery[],
  ) => ({
    wanted: { ids: [], hosts: wanted.hosts ?? [], everything: wanted.everything ?? false },
    due: found,
    chosen,
    perHost: 5,
  });

  test('leftovers, and receivers that gave as many as one look gives', () => {
    const [a, b, c] = [due('a:80', 3), due('b:80', 5), due('c:80', 2)];
    const after = waitingHostsAfter(
      new Set(),
      look({ everything: true }, [...a, ...b, ...c], [...a.slice(1), ...b, ...c]),
    );
    expect([...after].sort()).toEqual(['a:80', 'b:80']);
  });

  test('what was known before stays until it is looked at', () => {
    const before = new Set(['a:80', 'b:80']);
    expect([...waitingHostsAfter(before, look({ hosts: ['a:80'] }, [], []))]).toEqual(['b:80']);
    expect([...waitingHostsAfter(before, look({ everything: true }, [], []))]).toEqual([]);
  });
});
