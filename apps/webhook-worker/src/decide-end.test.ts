import { describe, expect, test } from '@jest/globals';
import { decideEnd, type Terms } from './decide-end.js';

const MINUTE_MS = 60_000;
const terms: Terms = {
  attempt: 1,
  schedule: [5, 300],
  random: () => 0.5,
  nameNotFoundCount: 0,
  nameNotFoundForMs: 0,
};
const answered = (status: number, retryAfterSeconds: number | null = null) =>
  ({ kind: 'response', status, retryAfterSeconds }) as const;

describe('what an answer means', () => {
  test.each([200, 201, 202, 204, 299])('%d is success', (status) => {
    expect(decideEnd(answered(status), terms)).toEqual({ end: { state: 'delivered' }, status, error: null });
  });

  test.each([301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503, 504])(
    '%d is a failure that is tried again',
    (status) => {
      expect(decideEnd(answered(status), terms)).toEqual({
        end: { state: 'pending', delayMs: 5_000 },
        status,
        error: `answered ${status}`,
      });
    },
  );

  test('410 ends the retries, also when it comes with Retry-After', () => {
    expect(decideEnd(answered(410, 5), terms).end).toEqual({ state: 'failed' });
  });

  test('Retry-After decides the next attempt', () => {
    expect(decideEnd(answered(429, 3), terms).end).toEqual({ state: 'pending', delayMs: 3_000 });
    expect(decideEnd(answered(503, 600), terms).end).toEqual({ state: 'pending', delayMs: 600_000 });
  });

  test('after the last attempt a delivery has failed', () => {
    expect(decideEnd(answered(500), { ...terms, attempt: 3 }).end).toEqual({ state: 'failed' });
  });

  test('silence is tried again, an address that is not allowed is not', () => {
    const silent = decideEnd({ kind: 'no-response', error: 'timed out', final: false }, terms);
    expect(silent).toEqual({ end: { state: 'pending', delayMs: 5_000 }, status: null, error: 'timed out' });
    const refused = decideEnd({ kind: 'no-response', error: 'address not allowed', final: true }, terms);
    expect(refused).toEqual({ end: { state: 'failed' }, status: null, error: 'address not allowed' });
  });

  test.each([
    [3, 30 * MINUTE_MS, 'failed'],
    [9, 90 * MINUTE_MS, 'failed'],
    [2, 90 * MINUTE_MS, 'pending'],
    [3, 30 * MINUTE_MS - 1, 'pending'],
    [9, 0, 'pending'],
  ] as const)(
    'a name that was not found %d times before, for %d ms, leaves the delivery %j',
    (nameNotFoundCount, nameNotFoundForMs, state) => {
      const outcome = { kind: 'no-response', error: 'name not found', final: false } as const;
      const history = { nameNotFoundCount, nameNotFoundForMs };
      expect(decideEnd(outcome, { ...terms, ...history }).end.state).toBe(state);
      // Other failures do not give a name up, whatever was found before.
      const other = { kind: 'no-response', error: 'connection failed', final: false } as const;
      expect(decideEnd(other, { ...terms, ...history }).end.state).toBe('pending');
    },
  );

  test('an attempt that we cut is due again at once, also the last one', () => {
    const end = { state: 'pending', delayMs: 0 };
    expect(decideEnd({ kind: 'stopped' }, terms).end).toEqual(end);
    expect(decideEnd({ kind: 'stopped' }, { ...terms, attempt: 99 }).end).toEqual(end);
  });
});
