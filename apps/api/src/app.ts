import type { RequestListener } from 'node:http';
import type { TrustProxy } from '@image-gateway/shared/config';
import { HTTP_STATUS_BY_CODE, type KeyScope, LIMITS } from '@image-gateway/shared/contract';
import { type AppError, toAppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { parseTraceparent, type Span, type Tracing } from '@image-gateway/shared/tracing';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { CorsLayers } from './http/cors.js';
import type { Caller, Reply, Route } from './http/framework/call.js';
import { chain } from './http/framework/chain.js';
import { createCall } from './http/framework/create-call.js';
import { type ErrorFormat, errorHandler } from './http/framework/error-handler.js';
import type { ReadJson } from './http/framework/json-body.js';
import { getState } from './http/framework/request-state.js';
import { sendReply } from './http/framework/send-reply.js';
import type { UnknownClients } from './http/framework/unknown-clients.js';
import { requireScope } from './http/keys/key-rights.js';
import { logRequests } from './http/log-requests.js';
import type { WrongDoor } from './http/wrong-doors.js';
import { createTrust } from './trust-proxy.js';

/** Path of a request whose target has none. It leads nowhere. */
const NO_PATH = '/no-path';

/** Parts of the app. */
export interface AppOptions {
  readonly routes: readonly Route[];
  /** Runs before everything. */
  readonly gate: RequestHandler;
  /** Runs before what is served without a key. */
  readonly openLimit: RequestHandler;
  /** Paths of the API for customers, such as `/v1`. */
  readonly keyPaths: readonly string[];
  /** Runs before everything under these paths. */
  readonly admission: RequestHandler;
  /** Opens these paths to pages of other origins; null opens none. */
  readonly cors: CorsLayers | null;
  /** Creates the error of a request that leads nowhere. */
  readonly createNotFound: (request: WrongDoor) => AppError;
  /** Formats of errors below certain paths; everywhere else the envelope. */
  readonly errorFormats: readonly ErrorFormat[];
  /** Middleware by path, such as the board of the queues. */
  readonly mounts?: Readonly<Record<string, RequestHandler>>;
  readonly trustProxy: TrustProxy;
  readonly readJson: ReadJson;
  readonly unknownClients: UnknownClients;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Pick<Tracing, 'start'>;
  /** Sees each reply before it is sent; tests compare it with the schema of its route. */
  readonly onReply?: ((route: Route, reply: Reply) => void) | undefined;
}

/** Builds the Express app from the table of routes: observe, gate, admit, route, and one exit for errors. */
export function createApp(options: AppOptions): Express {
  const { routes, trustProxy, cors, keyPaths } = options;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', createTrust(trustProxy));

  app.use(
    chain([
      logRequests(options),
      ignoreTrailingSlash(new Set(routes.map(({ path }) => path).filter((path) => path.endsWith('/')))),
      ...(cors ? [below(keyPaths, cors.allow)] : []),
      options.gate,
      options.openLimit,
    ]),
  );
  if (cors) {
    for (const path of new Set(routes.map((route) => route.path))) {
      if (keyPaths.some((one) => path === one || path.startsWith(`${one}/`))) {
        app.options(path, cors.answerPreflight(routes.filter((route) => route.path === path)));
      }
    }
  }
  app.use(below(keyPaths, options.admission));
  for (const [path, handle] of Object.entries(options.mounts ?? {})) {
    app.use(path, handle);
  }
  const parseBody: RequestHandler = async (request, response, next) => {
    request.body = await options.readJson(request, response, { takesEncoded: true, isKnown: true });
    next();
  };
  for (const route of routes) {
    const guards = [
      ...(route.access === 'key' ? [checkScope(route.scopes)] : []),
      ...(route.body === 'json' ? [parseBody] : []),
      ...(route.body === 'small-json' ? [unlessLarge(parseBody)] : []),
    ];
    app[route.method](route.path, chain([...guards, handleRoute(route, options)]));
  }
  app.use((request, _response, next) => next(options.createNotFound(request)));
  app.use(errorHandler(options.errorFormats));
  return app;
}

/** Creates the listener of an app. Express has a page of its own for a target without a path, such as `http://`. */
export function createListener(app: Express): RequestListener {
  return (request, response) => {
    app(request as Request, response as Response, () => {
      request.url = NO_PATH;
      app(request, response);
    });
  };
}

/** Runs a handler for these paths and everything below them; unlike a layer of Express it leaves the URL as it is. */
function below(paths: readonly string[], handle: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { path } = request;
    if (paths.some((one) => path === one || path.startsWith(`${one}/`))) {
      return handle(request, response, next);
    }
    next();
  };
}

function handleRoute(
  route: Route,
  { tracing, readJson, onReply }: Pick<AppOptions, 'tracing' | 'readJson' | 'onReply'>,
): RequestHandler {
  return async (request, response) => {
    const state = getState(request);
    state.route = route.path;
    // Polls would drown the others.
    const span = route.method === 'post' ? startSpan(tracing, route, request) : null;
    state.traceId = span?.traceId;
    const call = createCall(request, response, { state, readJson, traceparent: span?.traceparent ?? null });
    try {
      const reply =
        route.access === 'open'
          ? await route.handle(call)
          : await route.handle(Object.assign(call, { caller: getCaller(state) }));
      onReply?.(route, reply);
      await sendReply(reply, response, request.method === 'HEAD');
      span?.end(undefined, { 'http.response.status_code': response.statusCode });
    } catch (error) {
      const { code } = toAppError(error);
      span?.end(code === 'INTERNAL_ERROR' ? error : undefined, {
        'http.response.status_code': HTTP_STATUS_BY_CODE[code],
        'error.type': code,
      });
      throw error;
    }
  };
}

/** Starts the span of a request. The trace that a client names is joined; what is no valid `traceparent` counts as absent. */
function startSpan(
  tracing: AppOptions['tracing'],
  route: Route,
  { headers: { traceparent }, path, protocol }: Request,
): Span {
  const parent = typeof traceparent === 'string' && parseTraceparent(traceparent) ? traceparent : null;
  return tracing.start(`POST ${route.path}`, {
    parent,
    kind: 'server',
    isRoot: true,
    attributes: {
      'http.request.method': 'POST',
      'http.route': route.path,
      'url.path': path,
      'url.scheme': protocol,
    },
  });
}

/** Leaves a plain body to the handler if it is larger than others may be, or says nothing of its length. */
function unlessLarge(parseBody: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { 'content-length': length, 'content-encoding': encoding } = request.headers;
    const isSmall = Number(length ?? Number.POSITIVE_INFINITY) <= LIMITS.bodyBytes;
    const isLeft = !isSmall && encoding === undefined && Boolean(request.is('application/json'));
    return isLeft ? next() : parseBody(request, response, next);
  };
}

/** Checks the scope of the key before a body is read. */
function checkScope(scopes: readonly KeyScope[]): RequestHandler {
  return (request, _response, next) => {
    requireScope(getCaller(getState(request)), scopes);
    next();
  };
}

function getCaller({ caller }: { readonly caller?: Caller }): Caller {
  if (!caller) {
    throw new Error('a route that needs a key was reached without one');
  }
  return caller;
}

/**
 * Takes one slash off the end of a path, so that `/v1/tasks/` is `/v1/tasks` for everything behind. Paths in `exact` keep
 * theirs, and so do those of the queue board, whose links are relative to its folder.
 */
function ignoreTrailingSlash(exact: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    const { path, url } = request;
    const isFolder = exact.has(path) || path.startsWith('/dashboard/board/');
    if (path.length > 1 && path.endsWith('/') && !path.endsWith('//') && !isFolder) {
      request.url = path.slice(0, -1) + url.slice(path.length);
    }
    next();
  };
}
