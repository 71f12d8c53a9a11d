import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findShapeFault } from './check-json-shape.js';

const find = (text: string) => findShapeFault(Buffer.from(text));

describe('the shape of a body', () => {
  test.each([
    ['nested lists', `${'['.repeat(33)}${']'.repeat(33)}`, /deeper than 32/],
    ['nested objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, /deeper than 32/],
    ['a long list', `[${'1,'.repeat(1_000)}1]`, /more than 1000 entries/],
    ['a wide object', `{${'"a":1,'.repeat(1_000)}"b":1}`, /more than 1000 entries/],
  ])('the shape of a body with %s is refused', (_what, text, fault) => {
    expect(find(text)).toMatch(fault);
  });

  test.each([
    ['as deep as may be', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['with as many entries as may be', `[${'1,'.repeat(999)}1]`],
    [
      'with brackets and commas in texts',
      JSON.stringify(['['.repeat(99), ','.repeat(2_000), '\\"[[[', '\\\\']),
    ],
    ['with many small lists', `[${'[1,2],'.repeat(900)}3]`],
  ])('the shape of a body %s is taken', (_what, text) => {
    expect(find(text)).toBeNull();
  });

  test('the shape of a body is judged like that of what it parses to', () => {
    const measure = (value: unknown): [depth: number, entries: number] => {
      if (typeof value !== 'object' || value === null) {
        return [0, 0];
      }
      const inner = Object.values(value).map(measure);
      return [
        1 + Math.max(0, ...inner.map(([depth]) => depth)),
        Math.max(inner.length, ...inner.map(([, entries]) => entries)),
      ];
    };
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), fc.integer({ min: 1, max: 4 }), (text, bound) => {
        const [depth, entries] = measure(JSON.parse(text));
        const isWithin = depth <= bound && entries <= bound;
        // Keys that occur twice count twice.
        const fault = findShapeFault(Buffer.from(text), { depth: bound, entries: bound });
        expect(isWithin || fault !== null).toBe(true);
        expect(fault === null || !isWithin || /entries/.test(fault)).toBe(true);
      }),
    );
  });

  test('the shape of a body takes time that follows its bytes', () => {
    const backslashes = Buffer.from(`"${'\\'.repeat(200_000)}"`);
    const started = performance.now();
    findShapeFault(backslashes);
    findShapeFault(Buffer.from(`"${'\\"'.repeat(100_000)}"`));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
