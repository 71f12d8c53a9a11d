import { describe, expect, test } from '@jest/globals';
import { spreadOverTurns } from './spread-over-turns.js';

const turn = () => new Promise(setImmediate);

describe('work spread over turns of the event loop', () => {
  test('begins at once, goes on in later turns, keeps the order, and ends with the last item', async () => {
    const items = Array.from({ length: 20 }, (_, i) => i);
    const seen: number[] = [];
    let hasEnded = false;
    const ended = spreadOverTurns(items, (item) => void seen.push(item)).then(() => {
      hasEnded = true;
    });
    expect(seen).toEqual(items.slice(0, 8));
    await turn();
    expect(seen).toEqual(items.slice(0, 16));
    expect(hasEnded).toBe(false);
    await ended;
    expect(seen).toEqual(items);
  });
});
