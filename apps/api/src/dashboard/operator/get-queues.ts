import type { QueueItem } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { QueueInspector } from '@image-gateway/shared/queues';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { findQueues } from './queries/find-queues.js';

/** `GET /dashboard/api/operator/queues`: what waits and what runs by the database's word, and what Redis says of the hints. */
export function getQueues(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly inspector: QueueInspector;
}): Handler<ViewerCall> {
  return async () => {
    const [queues, ...hints] = await Promise.all([
      findQueues(deps.db),
      deps.inspector.look('generation'),
      deps.inspector.look('webhook'),
    ]);
    return dataReply(
      queues.map(({ name, due, later, running, oldestSeconds }): QueueItem => {
        const seen = hints[name === 'generation' ? 0 : 1] ?? null;
        return {
          name,
          due,
          later,
          running,
          oldest_seconds: oldestSeconds === null ? null : Math.max(0, Math.round(oldestSeconds)),
          hints: seen?.hints ?? null,
          consumers: seen?.consumers ?? null,
        };
      }),
    );
  };
}
