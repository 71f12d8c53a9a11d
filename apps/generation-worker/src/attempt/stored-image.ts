import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addOutput, type Database, type OutputRow, type ReportedFacts } from '@image-gateway/shared/db';
import { type Image, ImageError, OUTPUT_LIMITS, type ValidateImage } from '@image-gateway/shared/images';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { type Attempt, AttemptAborted } from './attempt.js';

/** Dependencies of reading a stored image. */
export interface ReadStoredDeps {
  readonly store: Pick<ObjectStore, 'read' | 'stat'>;
  readonly validate: ValidateImage;
}

/** Complete image in the object store, and the slot in its metadata. */
export interface StoredImage {
  readonly image: Image;
  readonly savedSlot: number | null;
}

/** Reads the image under a key; null when there is no object, or no complete image. */
export async function readStoredImage(
  { store, validate }: ReadStoredDeps,
  key: string,
): Promise<StoredImage | null> {
  const info = await store.stat(key);
  if (info === null || info.bytes > OUTPUT_LIMITS.maxBytes) {
    return null;
  }
  const bytes = await store.read(key, OUTPUT_LIMITS.maxBytes);
  if (bytes?.length !== info.bytes) {
    return null;
  }
  try {
    const image = await validate(bytes, OUTPUT_LIMITS);
    const isComplete = info.contentType === image.contentType && key.endsWith(`.${image.extension}`);
    const slot = Number(info.metadata.slot ?? Number.NaN);
    return isComplete ? { image, savedSlot: Number.isInteger(slot) ? slot : null } : null;
  } catch (error) {
    if (error instanceof ImageError) {
      return null;
    }
    throw error;
  }
}

/** Reads the image under a key; null when there is no object, or no complete image. */
export type ReadStoredImage = (key: string) => Promise<StoredImage | null>;

/** Facts about the drawing of an image. */
export interface Drawing {
  readonly facts: ReportedFacts;
  /** Names of the preferences that the route left out. */
  readonly unused: readonly string[];
}

/** Image whose object is stored. */
export interface SavedImage {
  readonly key: string;
  readonly image: Image;
  readonly slot: number;
  /** Hexadecimal SHA-256 of the bytes; computed unless given. */
  readonly sha256?: string;
  /** Facts that the upstream reported; absent where nobody knows any. */
  readonly facts?: ReportedFacts | undefined;
}

/** Saves the row of an image; see `saveOutput`. */
export type SaveOutput = (attempt: Attempt, saved: SavedImage) => Promise<void>;

/** Hashing takes about a millisecond: the event loop has no time for more. */
const HASHED_BYTES = 1024 * 1024;

/**
 * Saves the row of an image whose object is stored, as the next image of the task. Throws AttemptAborted when the task belongs
 * to another attempt.
 */
export async function saveOutput(
  db: Pick<Database, 'run'>,
  attempt: Attempt,
  saved: SavedImage,
): Promise<void> {
  const row = await createOutputRow(attempt, saved);
  const { id: taskId, attempt: number } = attempt.task;
  if (!(await addOutput(db, { taskId, attempt: number }, row))) {
    throw new AttemptAborted('lost');
  }
  attempt.recordOutput(row);
}

/** Creates the row of the next image of the task. */
export async function createOutputRow(
  { storedCount }: Pick<Attempt, 'storedCount'>,
  { key, image, slot, sha256, facts }: SavedImage,
): Promise<OutputRow> {
  return {
    index: storedCount,
    slot,
    key,
    contentType: image.contentType,
    bytes: image.bytes.length,
    width: image.width,
    height: image.height,
    sha256: sha256 ?? (await computeSha256(image.bytes)),
    ...facts,
  };
}

/** Computes the hexadecimal SHA-256, in pieces between which other work gets its turn. */
export async function computeSha256(bytes: Buffer): Promise<string> {
  if (bytes.length <= HASHED_BYTES) {
    return hash('sha256', bytes);
  }
  const sha256 = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    sha256.update(bytes.subarray(at, at + HASHED_BYTES));
    await nextTurn();
  }
  return sha256.digest('hex');
}
