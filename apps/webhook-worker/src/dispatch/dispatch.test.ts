import type { DueDelivery, Receiver } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseDeliveries } from './choose-deliveries.js';
import { createSlots, type Slots } from './create-slots.js';

const at = (accountId: string, hostPort: string): Receiver => ({ accountId, hostPort });
const standard = (): Slots => createSlots({ total: 64, perHost: 10, perReceiver: 5 });
const due = (receiver: Receiver, count: number, lateMs = 1): DueDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    ...receiver,
    id: `${receiver.accountId}-${receiver.hostPort}-${index}`,
    lateMs: lateMs - index / 1000,
  }));
const countFor = (chosen: readonly DueDelivery[], hostPort: string): number =>
  chosen.filter((entry) => entry.hostPort === hostPort).length;
/** Takes as many slots as an account can get, each for another receiver. */
const takeAll = (slots: Slots, accountId: string): number => {
  let taken = 0;
  while (slots.acquire(at(accountId, `h${taken}.${accountId}:80`))) {
    taken += 1;
  }
  return taken;
};

describe('slots', () => {
  test('one receiver of an account has at most five of them', () => {
    const slots = standard();
    const taken = Array.from({ length: 7 }, () => slots.acquire(at('a', 'a:80')));
    expect(taken).toEqual([true, true, true, true, true, false, false]);
    slots.release(at('a', 'a:80'));
    expect(slots.acquire(at('a', 'a:80'))).toBe(true);
  });

  test('a host that some accounts fill has a slot left for one that holds none there, and no more than ten posts in all', () => {
    const slots = standard();
    const takeAtHost = (accountId: string): number => {
      let taken = 0;
      while (slots.acquire(at(accountId, 'shared:80'))) {
        taken += 1;
      }
      return taken;
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(takeAtHost)).toEqual([5, 3, 1, 1, 0]);
    slots.release(at('a', 'shared:80'));
    expect(['a', 'b', 'c', 'd', 'e'].map(takeAtHost)).toEqual([0, 0, 0, 0, 1]);
  });

  test('an account with any number of receivers holds at most half, and leaves room for several others', () => {
    const slots = standard();
    expect(takeAll(slots, 'flood')).toBeLessThanOrEqual(32);
    for (const other of ['b', 'c', 'd']) {
      expect(slots.acquire(at(other, `${other}:80`))).toBe(true);
    }
  });

  test('a quarter is kept for receivers whose last attempt was answered', () => {
    const slots = standard();
    const known = at('known', 'known:80');
    slots.acquire(known);
    slots.release(known, true);
    for (let account = 0; account < 100; account++) {
      takeAll(slots, `flood${account}`);
    }
    expect(64 - slots.running()).toBe(16);
    expect(slots.hasRoom(at('new', 'new:80'))).toBe(false);
    expect(slots.acquire(known)).toBe(true);
    slots.release(known, false);
    expect(slots.hasRoom(known)).toBe(false);
  });

  test('however many dead receivers of an account hold all that they can get, one of its own that has none finds a slot', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (dead) => {
        const slots = standard();
        for (let round = 0; round < 10; round++) {
          for (let host = 0; host < dead; host++) {
            slots.acquire(at('a', `dead${host}:80`));
          }
        }
        expect(slots.acquire(at('a', 'healthy:80'))).toBe(true);
      }),
    );
  });

  test('even one slot in all is used, and no more than there are', () => {
    const slots = createSlots({ total: 1, perHost: 6, perReceiver: 5 });
    const taken = [slots.acquire(at('a', 'a:80')), slots.acquire(at('b', 'b:80'))];
    expect([...taken, slots.running()]).toEqual([true, false, 1]);
  });

  test('the accounts that can get none are named', () => {
    const slots = standard();
    takeAll(slots, 'a');
    for (let i = 0; slots.fullAccounts().length === 0 && i < 64; i++) {
      takeAll(slots, `b${i}`);
    }
    expect(slots.fullAccounts()).toContain('a');
  });

  test('giving back what was not taken is a fault', () => {
    expect(() => standard().release(at('a', 'a:80'))).toThrow(RangeError);
  });
});

describe('choosing', () => {
  test('a backlog of one account, however old and for however many receivers, leaves room for every other', () => {
    const flood = Array.from({ length: 300 }, (_, i) => due(at('flood', `dead${i}:80`), 1, 1e9)).flat();
    const { chosen, left } = chooseDeliveries(
      [...flood, ...due(at('a', 'a:80'), 1), ...due(at('b', 'b:80'), 1)],
      standard(),
    );
    expect([countFor(chosen, 'a:80'), countFor(chosen, 'b:80')]).toEqual([1, 1]);
    expect(chosen.length + left.length).toBe(302);
  });

  test('a backlog of one receiver leaves room for the others of its account', () => {
    const { chosen } = chooseDeliveries(
      [...due(at('a', 'dead:80'), 500, 1e9), ...due(at('a', 'a:80'), 1), ...due(at('a', 'b:80'), 1)],
      standard(),
    );
    expect([countFor(chosen, 'a:80'), countFor(chosen, 'b:80'), countFor(chosen, 'dead:80')]).toEqual([
      1, 1, 5,
    ]);
  });

  test('what waits behind posts to its host or of its account is told apart from what waits for the process', () => {
    const slots = standard();
    slots.acquire(at('a', 'a:80'));
    const { chosen, unhindered } = chooseDeliveries(
      [
        ...due(at('a', 'a:80'), 1),
        ...due(at('a', 'b:80'), 1),
        ...due(at('b', 'a:80'), 1),
        ...due(at('c', 'c:80'), 2),
      ],
      slots,
    );
    expect(chosen).toHaveLength(5);
    expect([...unhindered].map(({ hostPort }) => hostPort)).toEqual(['c:80']);
  });

  test('among equals the oldest goes first', () => {
    const slots = createSlots({ total: 2, perHost: 1, perReceiver: 1 });
    const { chosen } = chooseDeliveries(
      [...due(at('a', 'a:80'), 1, 10), ...due(at('b', 'b:80'), 1, 30), ...due(at('c', 'c:80'), 1, 20)],
      slots,
    );
    expect(chosen.map(({ hostPort }) => hostPort)).toEqual(['b:80', 'c:80']);
  });

  test('a delivery that was found twice is chosen once', () => {
    const slots = standard();
    const twice = [...due(at('a', 'a:80'), 1), ...due(at('a', 'a:80'), 1)];
    expect(chooseDeliveries(twice, slots).chosen).toHaveLength(1);
    expect(slots.running()).toBe(1);
  });
});
