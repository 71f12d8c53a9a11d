import { hash } from 'node:crypto';
import type { ShownTask } from '@image-gateway/shared/db';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import { LRUCache } from 'lru-cache';

/** Task as it is shown: its JSON, and who may see it. */
export interface Shown {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly isPending: boolean;
  readonly json: string;
  readonly etag: string;
}

/** Size of the cache of finished tasks in characters; about 30,000 tasks. */
const MAX_REMEMBERED_CHARACTERS = 16 * 1024 * 1024;
/** Overhead of a cached task, in characters. */
const OVERHEAD = 200;
/** Time for which a poll takes a task from the cache: tasks that another process deletes are gone within 5 s. */
const REMEMBERED_MS = 4_000;

/** Cache of the JSON of tasks that have ended: they never change until they are deleted. */
export interface EndedTasks {
  /** Returns a task that was read within the last seconds. */
  readonly getFresh: (id: string) => Shown | undefined;
  /** Returns a task that was read at any time; the caller knows that it was not deleted. */
  readonly get: (id: string) => Shown | undefined;
  readonly set: (id: string, shown: Shown) => void;
  readonly delete: (id: string) => void;
}

/** Creates the cache; a deletion removes its task. */
export function createEndedTasks(): EndedTasks {
  const cache = new LRUCache<string, Shown>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: ({ json }) => json.length + OVERHEAD,
    ttl: REMEMBERED_MS,
    noDeleteOnStaleGet: true,
  });
  return {
    getFresh: (id) => cache.get(id),
    get: (id) => cache.get(id, { allowStale: true }),
    set: (id, shown) => void cache.set(id, shown),
    delete: (id) => void cache.delete(id),
  };
}

/** Writes a task as it is shown. */
export function createShown(
  { status }: Pick<ShownTask, 'status'>,
  { accountId, apiKeyId }: Pick<ShownTask, 'accountId' | 'apiKeyId'>,
  presented: PublicTask,
): Shown {
  const json = JSON.stringify(presented);
  const etag = `"${hash('sha256', json, 'base64url').slice(0, 27)}"`;
  return { accountId, apiKeyId, isPending: status === 'pending', json, etag };
}

/** Wraps JSON in the envelope of a success; the same bytes as `ok`. */
export function wrapJson(json: string): string {
  return `{"data":${json},"error":null}`;
}
