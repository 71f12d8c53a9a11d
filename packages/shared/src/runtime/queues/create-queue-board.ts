import path from 'node:path';
import type { IServerAdapter } from '@bull-board/api/typings/app';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { AppError } from '../../domain/errors/index.js';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import { DEFAULT_PREFIX, type QueueName } from './jobs.js';
import { matchRoute } from './match-route.js';

/** bull-board without a web framework: what it answers to questions, and the files of its page. */
export interface QueueBoard {
  /**
   * Answers a question of the page, such as `/api/queues`; null when there is no such one, as for everything that would
   * change something. Throws AppError `SERVICE_UNAVAILABLE` when Redis does not answer.
   */
  readonly answer: (asked: BoardRequest) => Promise<BoardResponse | null>;
  /** What the page has to be told, as JSON. */
  readonly settings: string;
  /** The folder with `index.ejs` and `static`. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** What the page asks, by the path below where the board stands. */
export interface BoardRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** An answer for the page. */
export interface BoardResponse {
  readonly status: number;
  readonly body: unknown;
}

type Given = { readonly [M in keyof IServerAdapter]?: Parameters<IServerAdapter[M]>[0] };

const QUEUES: readonly QueueName[] = ['generation', 'webhook'];
const ANSWER_MS = 3_000;
const CLOSE_MS = 500;

/** Makes the read-only board on a fail-fast connection, which stays the caller's to disconnect. The library is loaded here, since workers never need it. */
export async function createQueueBoard({
  redis,
  prefix = DEFAULT_PREFIX,
  settings,
}: {
  readonly redis: Redis;
  readonly prefix?: string;
  /** Of the page, in the library's own terms. */
  readonly settings: Readonly<Record<string, unknown>>;
}): Promise<QueueBoard> {
  const [{ createBullBoard }, { BullMQAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
  ]);
  const queues = QUEUES.map((name) => new Queue(name, { connection: redis, prefix, skipVersionCheck: true }));
  // The connection reports its own errors.
  for (const queue of queues) queue.on('error', () => undefined);
  const given: Given = {};
  // It hands over what it is made of, piece by piece.
  const serverAdapter = new Proxy({} as IServerAdapter, {
    get: (_target, name) => (value: unknown) => {
      Object.assign(given, { [name]: value });
      return serverAdapter;
    },
  });
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: settings },
  });
  const { setQueues, setUIConfig: uiConfig, setApiRoutes = [], setViewsPath: folder } = given;
  if (!setQueues || !uiConfig || typeof folder !== 'string') throw new Error('bull-board is not as it was');
  const readers = setApiRoutes.filter(({ method }) => method === 'get');

  const isReady = (): boolean => redis.status === 'ready';
  const answer = async ({ path: asked, query }: BoardRequest): Promise<BoardResponse | null> => {
    for (const { route, handler } of readers) {
      const params = matchRoute(String(route), asked);
      if (!params) continue;
      const { status = 200, body } = await handler({
        ...{ queues: setQueues, uiConfig, query, params, body: {}, headers: {} },
      });
      return { status, body };
    }
    return null;
  };
  return {
    answer: async (question) => {
      const away = new AppError('SERVICE_UNAVAILABLE', { message: 'Redis does not answer the board' });
      if (!isReady()) throw away;
      try {
        const answered = await withTimeout(ANSWER_MS, answer(question));
        if (answered === TIMED_OUT) throw away;
        return answered;
      } catch (error) {
        throw isReady() ? error : away;
      }
    },
    settings: JSON.stringify(uiConfig),
    folder: path.resolve(folder),
    close: async () => {
      await withTimeout(CLOSE_MS, Promise.allSettled(queues.map((queue) => queue.close())));
    },
  };
}
