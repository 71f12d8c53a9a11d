import { describe, expect, test } from '@jest/globals';
import { createWaitPlaces, type NameTask } from './create-wait-places.js';

const openSignal = (): AbortSignal => new AbortController().signal;
const pending = (id: string) => ({ id, status: 'pending' });

describe('places for requests that wait', () => {
  test('an account has so many places for requests that wait, and leaves as many of the process free as it has', () => {
    const takePlace = createWaitPlaces({ maxOfAccount: 3, maxWithoutHold: 3, maxPlaces: 5 });
    const left = new AbortController();
    expect([1, 2, 3].map(() => takePlace('acc_a', left.signal) !== null)).toEqual([true, true, true]);
    expect(takePlace('acc_a', openSignal())).toBeNull();
    expect(takePlace('acc_b', openSignal())).not.toBeNull();
    // One place is left, and account b has one: it may not take the last but one of others.
    expect(takePlace('acc_b', openSignal())).toBeNull();
    expect(takePlace('acc_c', openSignal())).not.toBeNull();
    left.abort();
    expect(takePlace('acc_b', openSignal())).not.toBeNull();
  });

  test('an account has few places for requests for one task, and for those whose task has ended', () => {
    const takePlace = createWaitPlaces({ maxOfAccount: 100, maxWithoutHold: 2, maxPlaces: 1_000 });
    const enter = (closed = openSignal(), accountId = 'acc_a') => takePlace(accountId, closed) as NameTask;
    const [first, second] = [new AbortController(), new AbortController()];
    expect(enter(first.signal)(pending('gen_1'))).toBe(true);
    expect(enter(second.signal)(pending('gen_1'))).toBe(true);
    expect(enter()({ id: 'gen_0', status: 'completed' })).toBe(true);
    expect(enter()(pending('gen_1'))).toBe(false);
    expect(enter()({ id: 'gen_0', status: 'failed' })).toBe(false);
    // Tasks that nobody waits for yet, and other accounts, have places of their own.
    expect(Array.from({ length: 20 }, (_, n) => enter()(pending(`gen_own_${n}`)))).not.toContain(false);
    expect(enter(openSignal(), 'acc_b')({ id: 'gen_2', status: 'completed' })).toBe(true);
    // The first request leaves, and the next one for its task waits in its stead.
    first.abort();
    expect(enter()(pending('gen_1'))).toBe(true);
    expect(enter()(pending('gen_1'))).toBe(false);
    second.abort();
    expect(enter()(pending('gen_1'))).toBe(true);
    expect(enter()(pending('gen_1'))).toBe(false);
  });

  test('a request whose client has left takes no place', () => {
    const counts: number[] = [];
    const bounds = { maxOfAccount: 1, maxWithoutHold: 0, maxPlaces: 10 };
    const takePlace = createWaitPlaces(bounds, (places) => counts.push(places));
    const left = new AbortController();
    const enter = takePlace('acc_a', left.signal);
    left.abort();
    expect(enter?.(pending('gen_1'))).toBe(true);
    expect(takePlace('acc_a', left.signal)?.({ id: 'gen_0', status: 'failed' })).toBe(true);
    expect(takePlace('acc_a', openSignal())?.(pending('gen_1'))).toBe(true);
    expect(counts).toEqual([1, 0, 1]);
  });
});
