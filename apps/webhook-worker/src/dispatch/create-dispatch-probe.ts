import { type Database, findDueOldest } from '@image-gateway/shared/db';
import type { Dispatcher } from './create-dispatcher.js';
import type { Slots } from './create-slots.js';

/** Dependencies that tell a hanging worker from an idle one. */
export interface ProbeDeps {
  readonly db: Database;
  readonly slots: Pick<Slots, 'hasRoom'>;
  readonly progress: Dispatcher['progress'];
  /** Returns whether hints wait in the queue and are not taken. */
  readonly isQueueStuck: () => Promise<boolean>;
}

const OVERDUE_MS = 60_000;
const MAX_CHECKED = 200;

/** Creates the watchdog's probe, which returns what is wrong at this moment, or null. */
export function createDispatchProbe({
  db,
  slots,
  progress,
  isQueueStuck,
}: ProbeDeps): () => Promise<string | null> {
  let before = { searches: -1, posts: -1 };
  return async () => {
    const stuck = await isQueueStuck();
    const due = await findDueOldest(db, MAX_CHECKED);
    const now = progress();
    const [isSearching, isPosting] = [now.searches !== before.searches, now.posts !== before.posts];
    before = now;
    if (!isSearching) {
      return 'the search for due webhooks does not run';
    }
    if (!isPosting && due.some((entry) => entry.lateMs > OVERDUE_MS && slots.hasRoom(entry))) {
      return 'webhooks are overdue although slots are free';
    }
    return stuck ? 'the queue is not consumed' : null;
  };
}
