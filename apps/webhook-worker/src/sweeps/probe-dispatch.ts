import { type Database, findDueOldest } from '@image-gateway/shared/db';
import type { Dispatcher } from '../dispatch/create-dispatcher.js';
import type { Places } from '../dispatch/create-places.js';

/** What tells a worker that hangs from one that has nothing to do. */
export interface ProbeDeps {
  readonly db: Database;
  readonly places: Pick<Places, 'hasRoom'>;
  readonly progress: Dispatcher['progress'];
  /** Whether hints wait in the queue that nobody takes. */
  readonly isQueueStuck: () => Promise<boolean>;
}

const OVERDUE_MS = 60_000;
const LOOKED_AT = 200;

/** Makes the watchdog's probe: what is wrong at this moment, or null. */
export function createDispatchProbe({
  db,
  places,
  progress,
  isQueueStuck,
}: ProbeDeps): () => Promise<string | null> {
  let before = { looks: -1, posts: -1 };
  return async () => {
    const stuck = await isQueueStuck();
    const due = await findDueOldest(db, LOOKED_AT);
    const now = progress();
    const [isLooking, isPosting] = [now.looks !== before.looks, now.posts !== before.posts];
    before = now;
    if (!isLooking) return 'due webhooks are not looked for';
    if (!isPosting && due.some((entry) => entry.lateMs > OVERDUE_MS && places.hasRoom(entry)))
      return 'webhooks are overdue although there is room for them';
    return stuck ? 'the queue is not consumed' : null;
  };
}
