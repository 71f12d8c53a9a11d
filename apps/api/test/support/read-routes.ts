import type { Server } from 'node:http';
import type { Express } from 'express';

/** A route that a server really has. */
export interface ServedRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
}

/** Reads the routes of a server out of its router, in order. */
export function readRoutes(server: Server): readonly ServedRoute[] {
  const [listener] = server.listeners('request');
  const { router } = listener as Express;
  return router.stack.flatMap(({ route }) => {
    // One layer for each guard of a route, all of the same method.
    const methods = new Set((route?.stack ?? []).map(({ method }) => method as ServedRoute['method']));
    return [...methods].map((method) => ({ method, path: route?.path ?? '' }));
  });
}
