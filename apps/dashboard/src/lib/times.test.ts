import { expect, test } from '@jest/globals';
import { formatDay, formatHour, formatMoment, formatShortDay, formatTyped, formatWhole } from './times.js';

const AT = '2026-11-28T04:49:16.123Z';

test('days and hours of UTC read the same in every zone, on axes, in lists and below fields', () => {
  expect([formatDay('2026-11-28'), formatDay(AT)]).toEqual(['Nov 28, 2026', 'Nov 28, 2026']);
  expect(formatShortDay('2026-11-28')).toBe('Nov 28');
  expect(formatHour(AT)).toBe('Nov 28, 04:49');
  expect(['2026-11-28', '2026-11-28T14:05', '', 'soon'].map(formatTyped)).toEqual([
    'Nov 28, 2026',
    'Nov 28, 2026, 14:05',
    null,
    null,
  ]);
});

test('moments name their zone', () => {
  expect(formatMoment(AT, 'UTC')).toBe('Nov 28, 2026, 04:49:16 UTC');
  expect(formatWhole(AT, 'UTC')).toBe('Saturday, November 28, 2026 at 04:49:16 UTC');
});
