import type { DueDelivery, Receiver } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseDeliveries } from './choose-deliveries.js';
import { createPlaces, type Places } from './create-places.js';

const at = (accountId: string, hostPort: string): Receiver => ({ accountId, hostPort });
const standard = (): Places => createPlaces({ total: 64, perHost: 6, perReceiver: 5 });
const due = (receiver: Receiver, count: number, lateMs = 1): DueDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    ...receiver,
    id: `${receiver.accountId}-${receiver.hostPort}-${index}`,
    lateMs: lateMs - index / 1000,
  }));
const countOf = (chosen: readonly DueDelivery[], hostPort: string): number =>
  chosen.filter((entry) => entry.hostPort === hostPort).length;
/** Takes as many places as an account can get, each for another receiver. */
const takeAll = (places: Places, accountId: string): number => {
  let taken = 0;
  while (places.take(at(accountId, `h${taken}.${accountId}:80`))) taken += 1;
  return taken;
};

describe('places', () => {
  test('one receiver of an account has at most five of them', () => {
    const places = standard();
    const taken = Array.from({ length: 7 }, () => places.take(at('a', 'a:80')));
    expect(taken).toEqual([true, true, true, true, true, false, false]);
    places.give(at('a', 'a:80'));
    expect(places.take(at('a', 'a:80'))).toBe(true);
  });

  test('a host that one account fills has a place left for another account, and no more than six posts in all', () => {
    const places = standard();
    for (let i = 0; i < 9; i++) places.take(at('a', 'shared:80'));
    expect(places.take(at('b', 'shared:80'))).toBe(true);
    expect([places.take(at('b', 'shared:80')), places.take(at('c', 'shared:80'))]).toEqual([false, false]);
  });

  test('an account with any number of receivers holds at most half, and leaves room for several others', () => {
    const places = standard();
    expect(takeAll(places, 'flood')).toBeLessThanOrEqual(32);
    for (const other of ['b', 'c', 'd']) expect(places.take(at(other, `${other}:80`))).toBe(true);
  });

  test('a quarter is kept for receivers whose last attempt was answered', () => {
    const places = standard();
    const known = at('known', 'known:80');
    places.take(known);
    places.give(known, true);
    for (let account = 0; account < 100; account++) takeAll(places, `flood${account}`);
    expect(64 - places.running()).toBe(16);
    expect(places.hasRoom(at('new', 'new:80'))).toBe(false);
    expect(places.take(known)).toBe(true);
    places.give(known, false);
    expect(places.hasRoom(known)).toBe(false);
  });

  test('however many dead receivers of an account hold all that they can get, one of its own that has none finds a place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (dead) => {
        const places = standard();
        for (let round = 0; round < 10; round++)
          for (let host = 0; host < dead; host++) places.take(at('a', `dead${host}:80`));
        expect(places.take(at('a', 'healthy:80'))).toBe(true);
      }),
    );
  });

  test('even one place in all is used, and no more than there are', () => {
    const places = createPlaces({ total: 1, perHost: 6, perReceiver: 5 });
    const taken = [places.take(at('a', 'a:80')), places.take(at('b', 'b:80'))];
    expect([...taken, places.running()]).toEqual([true, false, 1]);
  });

  test('the accounts that can get none are named', () => {
    const places = standard();
    takeAll(places, 'a');
    for (let i = 0; places.fullAccounts().length === 0 && i < 64; i++) takeAll(places, `b${i}`);
    expect(places.fullAccounts()).toContain('a');
  });

  test('giving back what was not taken is a fault', () => {
    expect(() => standard().give(at('a', 'a:80'))).toThrow(RangeError);
  });
});

describe('choosing', () => {
  test('a backlog of one account, however old and for however many receivers, leaves room for every other', () => {
    const flood = Array.from({ length: 300 }, (_, i) => due(at('flood', `dead${i}:80`), 1, 1e9)).flat();
    const { chosen, left } = chooseDeliveries(
      [...flood, ...due(at('a', 'a:80'), 1), ...due(at('b', 'b:80'), 1)],
      standard(),
    );
    expect([countOf(chosen, 'a:80'), countOf(chosen, 'b:80')]).toEqual([1, 1]);
    expect(chosen.length + left.length).toBe(302);
  });

  test('a backlog of one receiver leaves room for the others of its account', () => {
    const { chosen } = chooseDeliveries(
      [...due(at('a', 'dead:80'), 500, 1e9), ...due(at('a', 'a:80'), 1), ...due(at('a', 'b:80'), 1)],
      standard(),
    );
    expect([countOf(chosen, 'a:80'), countOf(chosen, 'b:80'), countOf(chosen, 'dead:80')]).toEqual([1, 1, 5]);
  });

  test('among equals the oldest goes first', () => {
    const places = createPlaces({ total: 2, perHost: 1, perReceiver: 1 });
    const { chosen } = chooseDeliveries(
      [...due(at('a', 'a:80'), 1, 10), ...due(at('b', 'b:80'), 1, 30), ...due(at('c', 'c:80'), 1, 20)],
      places,
    );
    expect(chosen.map(({ hostPort }) => hostPort)).toEqual(['b:80', 'c:80']);
  });

  test('a delivery that was found twice is chosen once', () => {
    const places = standard();
    const twice = [...due(at('a', 'a:80'), 1), ...due(at('a', 'a:80'), 1)];
    expect(chooseDeliveries(twice, places).chosen).toHaveLength(1);
    expect(places.running()).toBe(1);
  });
});
