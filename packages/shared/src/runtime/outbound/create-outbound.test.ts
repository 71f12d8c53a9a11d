import { describe, expect, test } from '@jest/globals';
import { readStart } from './create-outbound.js';

/** A body of 1 KiB pieces without an end, or with a fault instead of its third piece. */
function scene(fault?: Error) {
  let pulled = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      pulled += 1;
      if (fault && pulled === 3) {
        throw fault;
      }
      yield Buffer.alloc(1024, 'x');
    }
  }
  const answer = { status: 200, headers: {}, body: endless(), dispose: () => undefined };
  return { answer, pulled: () => pulled };
}

describe('the start of a response', () => {
  test('readStart reads no more than maxBytes and keeps no more than keepBytes', async () => {
    const { answer, pulled } = scene();
    expect(await readStart(answer, { keepBytes: 1500, maxBytes: 64 * 1024 })).toHaveLength(1500);
    expect(pulled()).toBe(64);
  });

  test('readStart returns the bytes that came before an error', async () => {
    const { answer } = scene(new Error('reset'));
    expect(await readStart(answer, { keepBytes: 4096, maxBytes: 64 * 1024 })).toHaveLength(2048);
  });
});
