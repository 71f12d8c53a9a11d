import { describe, expect, test } from '@jest/globals';
import { readStart } from './read-body.js';

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

describe('the start of an answer', () => {
  test('no more is read than the bound, and no more kept than asked for', async () => {
    const { answer, pulled } = scene();
    expect(await readStart(answer, { keepBytes: 1500, maxBytes: 64 * 1024 })).toHaveLength(1500);
    expect(pulled()).toBe(64);
  });

  test('a fault ends it with what there is', async () => {
    const { answer } = scene(new Error('reset'));
    expect(await readStart(answer, { keepBytes: 4096, maxBytes: 64 * 1024 })).toHaveLength(2048);
  });
});
