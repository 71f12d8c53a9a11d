import { createHash } from 'node:crypto';
import { type AcceptDeps, createAccountStateFinder, createTaskInserter } from '@image-gateway/shared/billing';
import {
  getDefaultQuality,
  getPriceMicros,
  readBuiltInCatalog,
} from '@image-gateway/shared/catalog/document';
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
  readonly price?: { readonly unitMicros: bigint; readonly catalogVersion: number };
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
    ...limits,
    insertTask: createTaskInserter({ db, deadlineMs, ...limits }),
    getPrice: ({ model: id, resolution, quality: asked = null }) => {
      const model = readBuiltInCatalog().models.get(id);
      const quality = asked ?? (model ? getDefaultQuality(model, resolution) : null);
      return {
        unitMicros: (model && getPriceMicros(model, resolution, quality)) ?? 0n,
        quality,
        catalogVersion: 1,
        newestVersion: price?.catalogVersion ?? NEWER_THAN_ALL,
        ...price,
      };
    },
    findAccountState: createAccountStateFinder(db, limits),
    hashValue: (...parts) => createHash('md5').update(parts.join('\n')).digest('hex'),
  };
}
