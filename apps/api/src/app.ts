import { AppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import express, { type Express, type RequestHandler } from 'express';
import type { Caller } from './http/call.js';
import { errorExit } from './http/error-exit.js';
import { ignoreTrailingSlash } from './http/ignore-trailing-slash.js';
import { jsonBody } from './http/json-body.js';
import { observe } from './http/observe.js';
import { sendReply } from './http/reply-sender.js';
import { stateOf } from './http/state-of.js';
import { toCall } from './http/to-call.js';
import type { TrustProxy } from './http/trust-proxy.js';
import type { Route } from './routes.js';

/** What the app is made of. */
export interface AppOptions {
  readonly routes: readonly Route[];
  /** Stands before everything. */
  readonly gate: RequestHandler;
  /** Stands before what is served without a key. */
  readonly openLimit: RequestHandler;
  /** Stands before everything under `/v1`. */
  readonly admission: RequestHandler;
  readonly trustProxy: TrustProxy;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Builds the Express app from the table of routes: observe, gate, admit, route, and one exit for errors. */
export function createApp(options: AppOptions): Express {
  const { routes, trustProxy } = options;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', Array.isArray(trustProxy) ? [...trustProxy] : trustProxy);

  app.use(observe(options));
  app.use(ignoreTrailingSlash(new Set(routes.map(({ path }) => path).filter((path) => path.endsWith('/')))));
  app.use(options.gate);
  app.use(options.openLimit);
  app.use('/v1', options.admission);
  const parseBody = jsonBody();
  for (const route of routes) {
    const guards = route.body === 'json' ? [parseBody] : [];
    app[route.method](route.path, ...guards, answer(route));
  }
  app.use((_request, _response, next) => next(new AppError('NOT_FOUND')));
  app.use(errorExit());
  return app;
}

function answer(route: Route): RequestHandler {
  return async (request, response) => {
    const state = stateOf(request);
    state.route = route.path;
    const call = toCall(request, state);
    const reply =
      route.access === 'open'
        ? await route.handle(call)
        : await route.handle({ ...call, caller: callerOf(state) });
    await sendReply(reply, response, request.method === 'HEAD');
  };
}

function callerOf({ caller }: { readonly caller?: Caller }): Caller {
  if (!caller) throw new Error('a route that needs a key was reached without one');
  return caller;
}
