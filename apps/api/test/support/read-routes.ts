import type { Express } from 'express';

/** A route that a server really has. */
export interface ServedRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
}

/** Reads the routes of an app out of its router, in order. */
export function readRoutes({ router }: Express): readonly ServedRoute[] {
  return router.stack.flatMap(({ route }) => {
    // One layer for each guard of a route, all of the same method.
    const methods = new Set((route?.stack ?? []).map(({ method }) => method as ServedRoute['method']));
    return [...methods].map((method) => ({ method, path: route?.path ?? '' }));
  });
}
