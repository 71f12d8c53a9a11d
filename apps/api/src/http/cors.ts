import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';
import type { Route } from './framework/call.js';

/** Headers of responses that pages of other origins may read. */
const EXPOSED = [
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Preference-Applied',
  'x-gateway-task-id',
  'x-gateway-cost',
  'x-gateway-unused',
  'x-gateway-ignored',
];
/** Time for which browsers remember a preflight, in seconds. */
const MAX_AGE = 7_200;

/** Middleware that opens paths to pages of other origins, never with credentials. */
export interface CorsLayers {
  /** Sets the headers of responses, errors included. */
  readonly allow: RequestHandler;
  /** Returns the answer to a preflight of a path with these routes. */
  readonly answerPreflight: (routes: readonly Route[]) => RequestHandler;
}

/** Creates the middleware for CORS_ORIGINS; null when no origin is allowed. */
export function createCors(origins: readonly string[]): CorsLayers | null {
  if (origins.length === 0) {
    return null;
  }
  const options: CorsOptions = {
    origin: origins.includes('*') ? '*' : [...origins],
    credentials: false,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
  };
  const respond = cors(options);
  return {
    allow: (request, response, next) => {
      // A preflight is answered where its path is known.
      if (request.method === 'OPTIONS') {
        next();
      } else {
        respond(request, response, next);
      }
    },
    answerPreflight: (routes) => {
      const methods = routes.flatMap(({ method }) =>
        method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
      );
      return cors({ ...options, methods });
    },
  };
}
