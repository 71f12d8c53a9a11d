import { describe, expect, test } from '@jest/globals';
import { type CircuitOutcome, createRouteCircuit } from './create-route-circuit.js';

function setUp() {
  let now = 1_000_000;
  const circuit = createRouteCircuit(() => now);
  const calls: string[] = [];
  const getWait = (accountId: string, id = accountId) => circuit.getWait({ id, accountId });
  /** Makes a call where the circuits let it through. */
  const call = (accountId: string, outcome: CircuitOutcome, tookMs = 0): boolean => {
    if (getWait(accountId) !== null) {
      return false;
    }
    calls.push(accountId);
    const end = circuit.begin(accountId);
    now += tookMs;
    end(outcome);
    return true;
  };
  const fail = (accountId: string, times: number) => {
    for (let i = 0; i < times; i += 1) {
      call(accountId, 'failed');
    }
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  /** As a task that waits. */
  const wait = (accountId: string, id = accountId): number => {
    const { forMs } = getWait(accountId, id) ?? { forMs: 0 };
    circuit.turns.wait({ id, accountId }, forMs);
    return forMs;
  };
  const waitAll = (...accounts: string[]): void => pass(Math.max(...accounts.map((each) => wait(each))));
  return { circuit, calls, call, fail, getWait, pass, waitAll };
}

describe('the circuits of a route', () => {
  test('failures of one account, however many, pause no other account', () => {
    const { circuit, call, fail, getWait, pass } = setUp();
    for (let second = 0; second < 600; second += 1) {
      fail('a', 10);
      pass(1_000);
    }
    expect(getWait('a')).not.toBeNull();
    expect([circuit.state(), circuit.countAccounts()]).toEqual(['closed', 1]);
    expect(call('b', 'succeeded')).toBe(true);
  });

  test('failures of many accounts pause no other one while its calls succeed', () => {
    const { circuit, call, fail, pass } = setUp();
    for (let second = 0; second < 600; second += 1) {
      for (const account of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']) {
        fail(account, 3);
      }
      if (second % 10 === 0) {
        expect(call('sound', 'succeeded')).toBe(true);
      }
      pass(1_000);
    }
    expect(circuit.state()).toBe('closed');
  });

  test('one account calls a dead route after 5, 10, 20, 40 and then 60 seconds', () => {
    const { calls, call, fail, pass } = setUp();
    fail('a', 9);
    const times: number[] = [];
    for (let second = 0; second <= 200; second += 1) {
      if (call('a', 'failed')) {
        times.push(second);
      }
      pass(1_000);
    }
    expect(times).toEqual([5, 15, 35, 75, 135, 195]);
    expect(calls).toHaveLength(5 + times.length);
  });

  test('a hundred accounts call a dead route five times each in 30 seconds, and from then on as seldom as one', () => {
    const { circuit, calls, call, pass } = setUp();
    const accounts = Array.from({ length: 100 }, (_, i) => `acc${i}`);
    const at: number[] = [];
    for (let second = 0; second <= 200; second += 1) {
      for (const account of accounts) {
        for (let i = 0; i < 9; i += 1) {
          if (call(account, 'failed') && second > 0) {
            at.push(second);
          }
        }
      }
      pass(1_000);
    }
    expect(calls.slice(0, 500)).toEqual(
      accounts.flatMap((account) => Array.from({ length: 5 }, () => account)),
    );
    // The route opens after 30 s, and is tried after 5, 10, 20, 40 and 60 s.
    expect(at).toEqual([35, 45, 65, 105, 165]);
    expect(circuit.state()).toBe('open');
  });

  test('a route whose usual call takes longer than 15 seconds is given twice that time', () => {
    const { circuit, call, pass } = setUp();
    call('a', 'succeeded', 40_000);
    for (const account of ['a', 'b', 'a', 'b', 'a']) {
      call(account, 'failed');
    }
    pass(79_999);
    expect(circuit.state()).toBe('closed');
    pass(1);
    expect(circuit.state()).toBe('open');
  });

  test('failures that no request can cause open the circuit for all accounts after five in a row', () => {
    const { circuit, call } = setUp();
    for (const outcome of ['unreachable', 'unreachable', 'unreachable', 'unreachable', 'answered'] as const) {
      call('a', outcome);
    }
    for (const account of ['a', 'b', 'c', 'd']) {
      call(account, 'unreachable');
      expect(circuit.state()).toBe('closed');
    }
    call('e', 'unreachable');
    expect(circuit.state()).toBe('open');
    expect(circuit.countAccounts()).toBe(0);
  });

  test('trial calls go in turn by account: one that has not failed goes before those that have', () => {
    const { circuit, call, fail, getWait, pass, waitAll } = setUp();
    for (const account of ['a', 'b']) {
      fail(account, 5);
    }
    pass(30_000);
    waitAll('a', 'b', 'sound');
    for (const account of ['a', 'b']) {
      expect(getWait(account)).toMatchObject({ forMs: 1_000 });
    }
    expect(call('sound', 'succeeded')).toBe(true);
    expect(circuit.state()).toBe('closed');
    expect(getWait('sound')).toBeNull();
  });

  test('a trial call goes to the account that was tried longest ago, and its turn passes when no task of it comes', () => {
    const { calls, call, fail, pass, waitAll } = setUp();
    for (const account of ['a', 'b', 'c']) {
      fail(account, 5);
      pass(1);
    }
    pass(30_000);
    calls.splice(0);
    for (let round = 0; round < 6; round += 1) {
      waitAll('c', 'b', 'a');
      for (const account of ['c', 'b', 'a']) {
        call(account, 'failed');
      }
    }
    expect(calls).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    waitAll('a', 'b', 'c');
    expect(call('b', 'failed')).toBe(false);
    pass(2_001);
    expect(call('b', 'failed')).toBe(true);
  });

  test('any number of accounts takes bounded memory', () => {
    const { circuit, fail, pass } = setUp();
    for (let i = 0; i < 1_500; i += 1) {
      fail(`acc${i}`, 5);
    }
    pass(1);
    expect(circuit.countAccounts()).toBe(1_000);
  });
});
