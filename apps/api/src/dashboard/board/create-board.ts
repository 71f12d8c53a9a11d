import { createQueueBoard, type QueueBoard } from '@image-gateway/shared/queues';

/** The board, which is not there before somebody wants to see it. */
export interface LazyBoard {
  readonly open: () => Promise<QueueBoard>;
  readonly close: () => Promise<void>;
}

const SETTINGS = {
  boardTitle: 'Queues',
  boardLogo: { path: '/dashboard/favicon.svg' },
  favIcon: { default: '/dashboard/favicon.svg', alternative: '/dashboard/favicon.svg' },
  locale: { lng: 'en-US' },
  hideDocsLink: true,
  miscLinks: [{ text: 'Back to the dashboard', url: '/dashboard/operator/queues' }],
};

/** Makes the board on a fail-fast connection to Redis, which stays the caller's to disconnect. */
export function createBoard(
  options: Pick<Parameters<typeof createQueueBoard>[0], 'redis' | 'prefix'>,
): LazyBoard {
  let board: Promise<QueueBoard> | undefined;
  return {
    open: () => {
      board ??= createQueueBoard({ ...options, settings: SETTINGS });
      return board;
    },
    close: async () => {
      await (await board)?.close();
    },
  };
}
