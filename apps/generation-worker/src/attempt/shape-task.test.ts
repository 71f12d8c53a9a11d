import type { AspectRatio } from '@image-gateway/shared/contract';
import { createLogger } from '@image-gateway/shared/logging';
import { describe, expect, test } from '@jest/globals';
import { Attempt, type AttemptParts } from './attempt.js';
import { shapeTask } from './shape-task.js';

const RATIOS: readonly AspectRatio[] = ['1:1', '2:3', '3:4', '16:9'];
const log = createLogger({ service: 'test', level: 'error', write: () => undefined });

async function shape(
  [width, height]: readonly [number, number],
  shapeRatios: readonly AspectRatio[] | null = RATIOS,
) {
  const task = { id: 'gen_1', attempt: 3, aspectRatio: '16:9', cancelRequestedAt: null, shapeRatios };
  const attempt = new Attempt({
    task: task as unknown as AttemptParts['task'],
    signal: new AbortController().signal,
    log,
  });
  const written: unknown[] = [];
  let loads = 0;
  const run = (_: unknown, [row]: readonly unknown[] = []) => {
    written.push(row);
    return Promise.resolve([row]);
  };
  await shapeTask({ db: { run: run as never } }, attempt, () => {
    loads += 1;
    return Promise.resolve([{ bytes: Buffer.alloc(1), contentType: 'image/png', width, height }]);
  });
  return { aspectRatio: attempt.task.aspectRatio, left: attempt.task.shapeRatios, written, loads };
}

describe('the shape of an edit that follows its first image', () => {
  test.each([
    [600, 900, '2:3'],
    [768, 1024, '3:4'],
    [1000, 990, '1:1'],
    [4000, 1000, '16:9'],
  ] as const)('an image of %s × %s pixels is edited at %s', async (width, height, ratio) => {
    expect(await shape([width, height])).toEqual({
      aspectRatio: ratio,
      left: null,
      written: [{ id: 'gen_1', attempt: 3, ratio }],
      loads: 1,
    });
  });

  test('a ratio that stands is kept, and loads nothing', async () => {
    expect(await shape([600, 900], null)).toEqual({ aspectRatio: '16:9', left: null, written: [], loads: 0 });
  });
});
