import { expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import { chain } from './chain.js';

/** Runs a chain and returns what came after it: the arguments of `next`. */
function run(handlers: readonly RequestHandler[]): Promise<unknown[]> {
  return new Promise((resolve) => {
    void chain(handlers)({} as never, {} as never, (...values: unknown[]) => resolve(values));
  });
}

test('handlers of a chain run in order, at once or later, and then what follows the chain', async () => {
  const seen: number[] = [];
  const passed = await run([
    (_request, _response, next) => {
      seen.push(1);
      next();
    },
    (_request, _response, next) => {
      seen.push(2);
      setImmediate(next);
    },
    (_request, _response, next) => {
      seen.push(3);
      next();
    },
  ]);
  expect([seen, passed]).toEqual([[1, 2, 3], [undefined]]);
});

test.each<[string, RequestHandler]>([
  ['passed on', (_request, _response, next) => next(new Error('no'))],
  [
    'thrown',
    () => {
      throw new Error('no');
    },
  ],
  [
    'rejected',
    async () => {
      await Promise.resolve();
      throw new Error('no');
    },
  ],
])('an error that is %s ends a chain', async (_how, handle) => {
  const passes: RequestHandler = (_request, _response, next) => setImmediate(next);
  const never: RequestHandler = () => {
    throw new Error('the chain went on');
  };
  expect(await run([passes, handle, never])).toEqual([new Error('no')]);
});
