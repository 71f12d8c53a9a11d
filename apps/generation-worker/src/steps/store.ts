import { type Database, extendLease, noteUnused } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { imageKey } from '@image-gateway/shared/ids';
import type { Image } from '@image-gateway/shared/images';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { type Attempt, AttemptAborted } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import {
  computeSha256,
  createOutputRow,
  type Drawing,
  type ReadStoredImage,
  type SavedImage,
  type SaveOutput,
  type StoredImage,
} from '../attempt/stored-image.js';
import type { StoreGate } from '../responses/create-store-gate.js';

/** Dependencies of storing. */
export interface StoreDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'put' | 'replace' | 'stat'>;
  readonly readStoredImage: ReadStoredImage;
  readonly saveOutput: SaveOutput;
  readonly leaseMs: number;
  readonly metrics: Pick<Metrics, 'imagesStored'>;
  readonly storeGate: Pick<StoreGate, 'watch'>;
}

/**
 * Stores an image as the next image of the task: first the object, then its row, which the settlement may save. Before both it
 * names the preferences that the route left out. Must not run twice at a time for one task. An image of another attempt under
 * the key fills another missing slot, and the new image gets the next index. Retries while our object store or database is
 * unreachable, because the image was paid for.
 */
export async function storeImage(
  deps: StoreDeps,
  attempt: Attempt,
  image: Image,
  slot: number,
  drawing: Drawing,
): Promise<void> {
  const { signal, log, task } = attempt;
  await saveUnused(deps.db, attempt, drawing.unused);
  // Once for the signature of the put and for the row.
  const sha256 = await computeSha256(image.bytes);
  while (attempt.missingSlots().includes(slot)) {
    const key = imageKey(task.id, attempt.storedCount, image.extension);
    attempt.recordPut(key);
    const put = () => deps.storeGate.watch(() => putImage(deps, attempt, { key, image, slot, sha256 }));
    const other = await persist(put, { signal, log });
    signal.throwIfAborted();
    const output = other
      ? { key, image: other.image, slot: chooseSlot(attempt, slot, other.savedSlot) }
      : { key, image, slot, sha256, facts: drawing.facts };
    if (other) {
      log.info('adopted an image that another attempt left', { objectKey: key });
    }
    // Nothing but the settlement follows the last image of a single call.
    if (attempt.calls.size === 1 && attempt.missingSlots().length === 1) {
      attempt.recordLastOutput(await createOutputRow(attempt, output));
    } else {
      await persist(() => deps.saveOutput(attempt, output), { signal, log });
    }
    deps.metrics.imagesStored.inc();
  }
}

/** Adds the preferences that a route left out to the row. Throws AttemptAborted when the task belongs to another attempt. */
async function saveUnused(db: StoreDeps['db'], attempt: Attempt, names: readonly string[]): Promise<void> {
  const unused = attempt.listNewUnused(names);
  if (unused.length === 0) {
    return;
  }
  const { signal, log, task } = attempt;
  const note = () => noteUnused(db, { taskId: task.id, attempt: task.attempt, unused });
  if (!(await persist(note, { signal, log }))) {
    throw new AttemptAborted('lost');
  }
  attempt.recordUnused(unused);
}

function chooseSlot(attempt: Attempt, ownSlot: number, savedSlot: number | null): number {
  const others = attempt.missingSlots().filter((slot) => slot !== ownSlot);
  return others.find((slot) => slot === savedSlot) ?? others[0] ?? ownSlot;
}

/**
 * Puts an image under a key, where the first writer wins. Returns null when the image is stored now. Returns a different
 * complete image that is already there. An equal one is our own, from before a lost response. An incomplete object is
 * replaced, as long as the task belongs to this attempt.
 */
async function putImage(
  deps: StoreDeps,
  { task }: Pick<Attempt, 'task'>,
  object: Required<Omit<SavedImage, 'facts'>>,
): Promise<StoredImage | null> {
  const { key, image, slot, sha256 } = object;
  const options = { contentType: image.contentType, metadata: { slot: String(slot) }, sha256 };
  if ((await deps.store.put(key, image.bytes, options)) === 'stored') {
    return verifyStored(deps.store, key, image);
  }
  const stored = await deps.readStoredImage(key);
  if (stored) {
    return stored.image.bytes.equals(image.bytes) ? null : stored;
  }
  const own = await extendLease(deps.db, { taskId: task.id, attempt: task.attempt, leaseMs: deps.leaseMs });
  if (!own) {
    throw new AttemptAborted('lost');
  }
  await deps.store.replace(key, image.bytes, options);
  return verifyStored(deps.store, key, image);
}

/** Verifies the size of a stored object: a lost one would be charged and never seen. Throws a retryable AppError. */
async function verifyStored(
  objects: Pick<ObjectStore, 'stat'>,
  key: string,
  { bytes }: Pick<Image, 'bytes'>,
): Promise<null> {
  const found = (await objects.stat(key))?.bytes ?? 0;
  if (found === bytes.length) {
    return null;
  }
  const message = `the object store confirmed ${key}, but has ${found} of its ${bytes.length} bytes`;
  throw new AppError('INTERNAL_ERROR', { message, retryable: true });
}
