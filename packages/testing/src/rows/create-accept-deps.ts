import { createHash } from 'node:crypto';
import {
  type AcceptDeps,
  createSubmitJudge,
  createTaskInserter,
  getPrice,
  type TaskPrice,
} from '@image-gateway/shared/billing';
import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import type { Rate } from '@image-gateway/shared/config';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';

/** Newest version of processes that never follow the catalog: no version that a test applies makes them too old. */
const NEWER_THAN_ALL = 1_000_000;

/** Limits of a test; a million of everything, failed tasks unlimited, and a minute unless given. */
export interface AcceptLimits {
  readonly maxOpenTasks?: number;
  readonly maxPendingDeliveries?: number;
  readonly maxPendingHosts?: number;
  readonly maxFailedTasks?: Rate | null;
  /** From submit to the task's deadline, in milliseconds. */
  readonly deadlineMs?: number;
  /** Price of an image and the catalog version that has it; those of the built-in catalog unless given. */
  readonly price?: Pick<TaskPrice, 'unitMicros' | 'catalogVersion'> & Partial<Pick<TaskPrice, 'quality'>>;
}

/** Wires what accepts generations over a database, as the API does. */
export function createAcceptDeps(
  db: Pick<Database, 'run'>,
  { deadlineMs = 60_000, price, ...given }: AcceptLimits = {},
): AcceptDeps {
  const limits = {
    maxOpenTasks: 1_000_000,
    maxPendingDeliveries: 1_000_000,
    maxPendingHosts: 1_000_000,
    maxFailedTasks: null,
    ...given,
  };
  return {
    db,
    newId,
    insertTask: createTaskInserter({ db, deadlineMs, ...limits }),
    getPrice: (request) =>
      price
        ? { ...price, quality: request.quality ?? price.quality ?? null, newestVersion: price.catalogVersion }
        : getPrice(
            { models: [...readBuiltInCatalog().models.values()], version: 1, newestVersion: NEWER_THAN_ALL },
            request,
          ),
    judgeSubmit: createSubmitJudge({ reads: { ofAccount: () => db }, ...limits }),
    hashValue: (...parts) => createHash('md5').update(parts.join('\n')).digest('hex'),
  };
}
