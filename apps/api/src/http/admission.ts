import type { RequestHandler } from 'express';
import type { Caller } from './call.js';
import { parseBearer } from './parse-bearer.js';
import { stateOf } from './state-of.js';
import { headerValues } from './to-call.js';

/** The guard of everything under `/v1`: a good key first, whatever the path. */
export function admission({
  authenticate,
}: {
  readonly authenticate: (token: string) => Promise<Caller>;
}): RequestHandler {
  return (request, _response, next) => {
    const admit = async (): Promise<void> => {
      stateOf(request).caller = await authenticate(parseBearer(headerValues(request, 'authorization')));
    };
    admit().then(() => next(), next);
  };
}
