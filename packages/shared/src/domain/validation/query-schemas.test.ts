import { describe, expect, test } from '@jest/globals';
import { parseQuery, querySchemas } from './index.js';

const { usageSummary, tasks, usage } = querySchemas({ models: ['nanobanana'] });
const from = (text: unknown): string | undefined => {
  const parsed = parseQuery(usageSummary, { from: text });
  return 'query' in parsed ? parsed.query.from?.toISOString() : undefined;
};

describe('times in queries', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T00:30:00+02:00', '2026-01-30T22:30:00.000Z'],
    ['2026-01-31T00:30:00 02:00', '2026-01-30T22:30:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(from(text)).toBe(instant);
  });

  test.each([
    '',
    'now',
    '2026',
    '2026-1-1',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:00+99:00',
    '1767225600000',
    '+010000-01-01T00:00:00Z',
  ])('%j is refused', (text) => {
    expect(from(text)).toBeUndefined();
  });

  test('a repeated parameter is refused', () => {
    expect(from(['2026-01-01', '2026-01-02'])).toBeUndefined();
  });
});

describe('the query of a list', () => {
  const refused: [string, unknown][] = [
    ...['0', '-1', '1.5', 'x', '', '1e3', ['1', '2']].map((value): [string, unknown] => ['page', value]),
    ...['0', '101', 'x'].map((value): [string, unknown] => ['per_page', value]),
  ];
  test.each([
    ...refused,
    ['status', 'done'],
    ['status', ''],
    ['status', ['pending', 'failed']],
    ['model', 'other'],
    ['type', 'video'],
    ['created_after', '2026-02-30'],
    ['created_before', '2026-01-01T00:00:00'],
  ])('of tasks: %s of %j is refused by name', (name, value) => {
    const parsed = parseQuery(tasks, { [name]: value });
    expect('fault' in parsed && parsed.fault).toContain(name);
  });

  test.each([...refused, ['model', 'x'], ['api_key_id', 'x'], ['from', 'x'], ['to', '2026-13-01']])(
    'of usage: %s of %j is refused by name',
    (name, value) => {
      const parsed = parseQuery(usage, { [name]: value });
      expect('fault' in parsed && parsed.fault).toContain(name);
    },
  );
});
