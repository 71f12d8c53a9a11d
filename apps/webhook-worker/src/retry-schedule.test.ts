import { describe, expect, test } from '@jest/globals';
import { retryDelayMs } from './decide-end.js';
import { parseRetryAfter } from './post-webhook.js';

const DAY_SECONDS = 86_400;
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, DAY_SECONDS];
const ask = (question: Partial<Parameters<typeof retryDelayMs>[0]>) =>
  retryDelayMs({ schedule, attempt: 1, retryAfterSeconds: null, random: () => 0.5, ...question });

describe('when a failed webhook is tried again', () => {
  test('after each delay of the schedule in turn, and never after the last one', () => {
    const delays = schedule.map((_, index) => ask({ attempt: index + 1 }));
    expect(delays).toEqual(schedule.map((seconds) => seconds * 1000));
    expect(ask({ attempt: schedule.length + 1 })).toBeNull();
    expect(ask({ attempt: schedule.length + 1, retryAfterSeconds: 3 })).toBeNull();
  });

  test('each delay is spread by 20 % both ways', () => {
    expect(ask({ random: () => 0 })).toBe(4_000);
    expect(ask({ random: () => 0.999999 })).toBe(6_000);
  });

  test('Retry-After is followed to the second, whatever the schedule says', () => {
    expect(ask({ retryAfterSeconds: 3 })).toBe(3_000);
    expect(ask({ attempt: 2, retryAfterSeconds: 7, random: () => 0 })).toBe(7_000);
  });

  test('Retry-After counts for at most 24 hours', () => {
    expect(ask({ retryAfterSeconds: DAY_SECONDS })).toBe(DAY_SECONDS * 1000);
    expect(ask({ retryAfterSeconds: 10 * DAY_SECONDS })).toBe(DAY_SECONDS * 1000);
  });

  test('Retry-After of less than a second leaves the schedule as it is, so that no receiver burns its attempts at once', () => {
    expect(ask({ retryAfterSeconds: 0 })).toBe(5_000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  test.each([
    ['120', 120],
    [' 3 ', 3],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90],
    ['Saturday, 21-Nov-26 12:01:30 GMT', 90],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ])('%j is read as %d seconds', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });

  test.each([undefined, '', 'soon', '-1', '1.5', '2026-11-21T12:01:30Z', 'Sat, soon'])(
    '%j is no wish',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeNull();
    },
  );
});
