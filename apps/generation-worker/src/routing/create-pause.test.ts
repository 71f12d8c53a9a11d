import { describe, expect, test } from '@jest/globals';
import { createPause, type PauseSign } from './create-pause.js';

const limited = (askedMs?: number): PauseSign => ({ cause: 'rate-limit', askedMs });

function setUp() {
  let now = 1_000_000;
  const pause = createPause(() => now);
  const getWait = (accountId: string, id = accountId) => pause.getWait({ id, accountId }, { inTurn: true });
  /** Makes a call where no pause forbids it. */
  const call = (accountId: string, sign: PauseSign, id = accountId): boolean => {
    if (getWait(accountId, id) !== null) {
      return false;
    }
    pause.begin({ id, accountId })(sign);
    return true;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  /** Lets tasks wait as long as they are told. */
  const waitAll = (...tasks: readonly (readonly [string, string])[]): void => {
    const waits = tasks.map(([accountId, id]) => ({
      task: { accountId, id },
      forMs: getWait(accountId, id)?.forMs ?? 0,
    }));
    for (const { task, forMs } of waits) {
      pause.turns.wait(task, forMs);
    }
    pass(Math.max(...waits.map(({ forMs }) => forMs)));
  };
  return { pause, call, getWait, pass, waitAll };
}

describe('a pause that a provider asks for', () => {
  test.each([
    [undefined, 5_000],
    [0, 1_000],
    [-5, 1_000],
    [7_000, 7_000],
    [999_999_999_000, 60_000],
  ])('a pause for which %s ms are asked lasts %s ms for all accounts', (askedMs, forMs) => {
    const { pause, call, getWait, pass } = setUp();
    call('a', limited(askedMs));
    expect([getWait('a'), getWait('b')]).toEqual([{ forMs }, { forMs }]);
    expect(pause.report()).toEqual({ leftMs: forMs, cause: 'rate-limit' });
    pass(forMs);
    expect([getWait('b'), pause.report()]).toEqual([null, null]);
  });

  test('after a pause one call is tried, of another account where one waits, and all wait for it', () => {
    const { pause, call, getWait, waitAll } = setUp();
    call('a', limited(1e9));
    waitAll(['a', 'a'], ['b', 'b']);
    expect(getWait('a')).toEqual({ forMs: 1_000 });
    const end = pause.begin({ id: 'b', accountId: 'b' });
    expect(getWait('a')).toEqual({ forMs: 2_000, isTrial: true });
    end('succeeded');
    expect([getWait('a'), getWait('b')]).toEqual([null, null]);
  });

  test('an account whose pause another one refutes waits alone from then on, twice as long each time', () => {
    const { call, getWait, pass, waitAll } = setUp();
    call('a', limited(1e9));
    waitAll(['a', 'a'], ['b', 'b']);
    call('b', 'succeeded');
    const waits = [60_000, 120_000, 240_000, 300_000, 300_000].map((forMs) => {
      expect(call('a', limited(1e9), 'another task')).toBe(true);
      expect([getWait('a', 'a third task'), getWait('b')]).toEqual([{ forMs }, null]);
      pass(forMs);
      return forMs;
    });
    expect(waits).toHaveLength(5);
  });

  test('a task whose pause another task of its account refutes waits alone', () => {
    const { call, getWait, waitAll } = setUp();
    call('a', limited(), 'bad');
    waitAll(['a', 'bad'], ['a', 'good']);
    expect(getWait('a', 'bad')).toEqual({ forMs: 1_000 });
    expect(call('a', 'succeeded', 'good')).toBe(true);
    expect(call('a', limited(), 'bad')).toBe(true);
    expect([getWait('a', 'bad'), getWait('a', 'good')]).toEqual([{ forMs: 5_000 }, null]);
  });

  test('a pause that a second account renews may last twice as long each time, up to five minutes', () => {
    const { call, getWait, waitAll } = setUp();
    call('a', limited(1e9));
    const lasted = ['b', 'a', 'b', 'a'].map((account) => {
      waitAll([account, account]);
      expect(call(account, limited(1e9))).toBe(true);
      return getWait('c')?.forMs;
    });
    expect(lasted).toEqual([120_000, 240_000, 300_000, 300_000]);
  });

  test('a pause that one account renews stays as short as its first one', () => {
    const { call, getWait, pass } = setUp();
    for (let i = 0; i < 5; i += 1) {
      expect(call('a', limited(1e9))).toBe(true);
      expect(getWait('b')).toEqual({ forMs: 60_000 });
      pass(60_000);
    }
  });

  test('a limit that calls of several accounts meet at once sets none of them apart', () => {
    const { pause, call, getWait, pass } = setUp();
    const ends = ['a', 'b'].map((accountId) => pause.begin({ id: accountId, accountId }));
    for (const end of ends) {
      end(limited(20_000));
    }
    pass(20_000);
    call('c', 'succeeded');
    call('a', limited(20_000));
    expect(getWait('c')).toEqual({ forMs: 20_000 });
  });

  test('accounts that draw pauses one after another, each refuted by a sound one, stop it for ever shorter times', () => {
    const { call, getWait, waitAll } = setUp();
    const lasted = Array.from({ length: 6 }, (_, i) => {
      const bad = `bad${i}`;
      call(bad, limited(1e9));
      const forMs = getWait('sound')?.forMs;
      waitAll([bad, bad], ['sound', 'sound']);
      expect(call('sound', 'succeeded')).toBe(true);
      return forMs;
    });
    expect(lasted).toEqual([60_000, 30_000, 15_000, 7_500, 5_000, 5_000]);
  });

  test('a trial call that fails otherwise ends the pause, and one that our side cuts leaves it to the next', () => {
    const { pause, call, getWait, pass } = setUp();
    call('a', limited());
    pass(5_000);
    call('b', 'canceled');
    const end = pause.begin({ id: 'c', accountId: 'c' });
    expect(getWait('a')).toMatchObject({ isTrial: true });
    end('failed');
    expect(getWait('a')).toBeNull();
  });
});
