import type { RequestHandler } from 'express';

/**
 * Joins handlers into one, which runs them in order. Each layer of an Express router has its path matched, cut off and restored,
 * which takes longer than most of our layers do.
 */
export function chain(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let place = 0;
    const runNext = (error?: unknown): void => {
      const handle = error === undefined ? handlers[place++] : undefined;
      if (!handle) {
        next(error);
        return;
      }
      try {
        const running: unknown = handle(request, response, runNext);
        if (running instanceof Promise) {
          running.catch(next);
        }
      } catch (thrown) {
        next(thrown);
      }
    };
    runNext();
  };
}
