import { describe, expect, test } from '@jest/globals';
import { parseTraceparent } from './parse-traceparent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test('a traceparent of version 00 is taken apart', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1 });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)).toMatchObject({ flags: 0 });
  });

  test.each([
    undefined,
    null,
    '',
    `01-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01\n`,
    `${'0'.repeat(100_000)}`,
  ])('a traceparent that is not valid counts as absent: %#', (text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});
