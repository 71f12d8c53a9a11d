import { describe, expect, test } from '@jest/globals';
import { createChunkCounter } from './count-chunks.js';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const chunks = (count: number, bytes: number): string => chunk(bytes).repeat(count);

/** Passes a response on in pieces of that many bytes, and returns whether all were taken. */
function isTaken(text: string, { piece = 4096, takesKeepAlives = false, everyMs = 0 } = {}): boolean {
  let now = 0;
  const count = createChunkCounter({ takesKeepAlives, nowMs: () => (now += everyMs) });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += piece) {
    if (!count(bytes.subarray(at, at + piece))) {
      return false;
    }
  }
  return true;
}

describe('the chunks of a body', () => {
  test.each([
    ['a thousand of one byte', chunks(1_000, 1), true],
    ['a thousand and one of one byte', chunks(1_001, 1), false],
    ['five thousand of 64 bytes', chunks(5_000, 64), true],
    ['five thousand of 63 bytes', chunks(5_000, 63), false],
    ['one large one and a thousand of one byte', chunk(1_000_000) + chunks(1_001, 1), true],
    ['one large one and twenty thousand of one byte', chunk(1_000_000) + chunks(20_000, 1), false],
    ['extensions', `1;a=${'b'.repeat(20)}\r\nx\r\n`.repeat(1_001), false],
  ])('are counted as they stand on the wire, however it is cut: %s', (_what, body, taken) => {
    for (const piece of [1, 2, 7, 65_536]) {
      expect([piece, isTaken(`${HEAD}${body}0\r\n\r\n`, { piece })]).toEqual([piece, taken]);
    }
  });

  test('are not counted in a body with a length, whose slow line cuts it into bytes', () => {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n${'1\r\n'.repeat(10_000)}`;
    expect(isTaken(text, { piece: 1 })).toBe(true);
  });

  test('are counted behind interim responses', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(isTaken(`${interim}${HEAD}${chunks(1_001, 1)}`)).toBe(false);
    expect(isTaken(`${interim}${HEAD}${chunks(1_001, 64)}`)).toBe(true);
  });

  test.each([
    [10, true],
    [9, false],
  ])(
    'may be small for ever where they keep a connection alive, at most a hundred in a second: one in %i ms',
    (everyMs, taken) => {
      expect(isTaken(HEAD + chunks(5_000, 1), { takesKeepAlives: true, everyMs })).toBe(taken);
    },
  );
});
