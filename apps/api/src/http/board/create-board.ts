import type { ExpressAdapter } from '@bull-board/express';
import { AppError } from '@image-gateway/shared/errors';
import { Queue } from 'bullmq';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import { createCall } from '../framework/create-call.js';
import { getState } from '../framework/request-state.js';
import { securityHeaders } from '../pages/security-headers.js';
import { type GuardDeps, guardRoute } from '../session/guard-route.js';

/** Dependencies of the board. */
export interface BoardDeps {
  readonly guard: GuardDeps;
  /** Fail-fast connection; the board does not close it. */
  readonly redis: Redis;
  readonly prefix: string;
}

/** Board of the queues as Express middleware. */
export interface Board {
  readonly handle: RequestHandler;
  readonly close: () => Promise<void>;
}

/** Path of the board. */
export const BOARD_PATH = '/dashboard/board';

/** Hash of the one style that the scripts of the board write into the page: it hides the scroll bar of a list. */
const SCRIPTED_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='";
const UI_CONFIG = {
  boardTitle: 'Queues',
  boardLogo: { path: '/dashboard/favicon.svg' },
  favIcon: { default: '/dashboard/favicon.svg', alternative: '/dashboard/favicon.svg' },
  locale: { lng: 'en-US' },
  hideDocsLink: true,
  miscLinks: [{ text: 'Back to the dashboard', url: '/dashboard/operator/queues' }],
};

/**
 * Creates the read-only bull-board for operators. The library is loaded on the first request. The Content-Security-Policy
 * refuses its fonts of another host and its inline styles; it works without them.
 */
export function createBoard({ guard, redis, prefix }: BoardDeps): Board {
  const security = securityHeaders({ style: SCRIPTED_STYLE, base: true });
  const queues: Queue[] = [];
  let loading: Promise<RequestHandler> | undefined;
  const load = async (): Promise<RequestHandler> => {
    const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter: Adapter }] = await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullMQAdapter'),
      import('@bull-board/express'),
    ]);
    for (const name of ['generation', 'webhook']) {
      const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
      // The connection reports its own errors.
      queue.on('error', () => undefined);
      queues.push(queue);
    }
    const serverAdapter: ExpressAdapter = new Adapter();
    serverAdapter.setBasePath(BOARD_PATH);
    createBullBoard({
      queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
      serverAdapter,
      options: { uiConfig: UI_CONFIG },
    });
    const app = serverAdapter.getRouter() as RequestHandler & { readonly disable: (setting: string) => void };
    app.disable('x-powered-by');
    return app;
  };
  const route = { method: 'get', path: BOARD_PATH, roles: ['operator'] } as const;
  const authorize = guardRoute(guard, { ...route, handle: () => ({ status: 200 }) });

  const handle: RequestHandler = async (request, response, next) => {
    const state = getState(request);
    state.route = BOARD_PATH;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new AppError('NOT_FOUND');
    }
    const { headers } = await authorize.handle(createCall(request, response, { state }));
    const isApi = request.path.startsWith('/api/');
    if (isApi && redis.status !== 'ready') {
      throw new AppError('SERVICE_UNAVAILABLE', { message: 'Redis is unreachable for the board' });
    }
    for (const [name, value] of Object.entries<string | readonly string[]>({ ...security, ...headers })) {
      if (name !== 'Cache-Control' || !request.path.startsWith('/static/')) {
        response.setHeader(name, typeof value === 'string' ? value : [...value]);
      }
    }
    const send = response.send.bind(response);
    response.send = (body: unknown) => send(typeof body === 'string' ? removeForeignParts(body) : body);
    loading ??= load();
    const app = await loading;
    app(request, response, (error?: unknown) => next(error ?? new AppError('NOT_FOUND')));
  };
  return {
    handle,
    close: async () => {
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}

/** Removes what the Content-Security-Policy refuses anyway, so that the browser reports no error. */
function removeForeignParts(html: string): string {
  return html.replace(/<link[^>]*href="https:[^>]*>|<style>[\s\S]*?<\/style>|\sstyle="[^"]*"/g, '');
}
