import {
  type AcceptDeps,
  type Accepted,
  type AcceptInput,
  acceptGeneration,
  findRefusal,
  replayGeneration,
} from '@image-gateway/shared/billing';
import {
  type AddedInputs,
  addTaskInputs,
  type Database,
  deleteTaskInputs,
  findFiles,
  linkFiles,
  linkTaskInputs,
  releaseTaskInputs,
  type StoredFile,
  tellUnpaidUploads,
  type UnpaidLimits,
  useFiles,
} from '@image-gateway/shared/db';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { InputName } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import type { ObjectBody, ObjectStore } from '@image-gateway/shared/storage';
import { invalidField } from './field-error.js';
import type { SpooledBody } from './spool-upload.js';

/** Dependencies of storing uploads. */
export interface StoreInputsDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'put' | 'remove'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** UNPAID_FILES_BYTES, and the part of one account. */
  readonly unpaidLimits: UnpaidLimits;
}

/** Bytes that an account may store that never had a payment. */
export const UNPAID_ACCOUNT_BYTES: number = 100 * 1024 ** 2;

/** Input image of a request. */
export interface InputImage {
  /** Entry of `image_urls`. */
  readonly entry: string;
  /** SHA-256 of the bytes in hexadecimal, the id of a file, or the URL. */
  readonly digest: string;
  /** Present for an upload, which is stored only when its task is submitted. */
  readonly upload?: { readonly name: InputName; readonly body: Buffer | SpooledBody };
  /** Present for a file, by the id of its upload; whether there is one is not known yet. */
  readonly file?: NamedFile;
}

/** File that a request names, and where. */
export interface NamedFile {
  readonly id: string;
  readonly field: string;
  readonly place: string;
}

/** Images of a request. */
export interface GivenImages {
  readonly images: readonly InputImage[];
  /** Says what of the first image is drawn anew. */
  readonly mask?: InputImage;
}

/** Codes of errors after which nobody knows if the task was committed. */
const LOST: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']);

/**
 * Submits a task with its images. Replays, money and files are judged before an upload is stored. Uploads are stored with their rows first,
 * so that the sweep knows every object. A request that is refused or replayed releases them at once. Throws AppError.
 */
export async function submitWithInputs(
  deps: StoreInputsDeps & { readonly accept: AcceptDeps },
  input: AcceptInput,
  images: readonly InputImage[],
): Promise<Accepted> {
  const { accept } = deps;
  const files = images.flatMap(({ file }) => file ?? []);
  if (files.length === 0 && images.every(({ upload }) => upload === undefined)) {
    return acceptGeneration(accept, input);
  }
  const earlier = await judgeBeforeStoring(accept, input);
  if (earlier) {
    return earlier;
  }
  const { accountId } = input;
  await requireFiles(deps.db, { accountId, files, isUse: true });
  const accepted = await storeAndSubmit(deps, { accountId, images }, () => acceptGeneration(accept, input));
  if (files.length > 0 && !accepted.replayed) {
    const owner = { accountId, ids: files.map(({ id }) => id), taskId: accepted.task.id };
    await linkFiles(deps.db, owner).catch((error: unknown) => {
      deps.logger.warn('files are not linked to their task', { error, taskId: accepted.task.id });
    });
  }
  return accepted;
}

/**
 * Finds the files that a request names, and keeps them for another day if it uses them. Throws FieldError for the first that
 * the account does not have.
 */
export async function requireFiles(
  db: Pick<Database, 'run'>,
  {
    accountId,
    files,
    isUse,
  }: { readonly accountId: string; readonly files: readonly NamedFile[]; readonly isUse: boolean },
): Promise<readonly StoredFile[]> {
  if (files.length === 0) {
    return [];
  }
  const owner = { accountId, ids: [...new Set(files.map(({ id }) => id))] };
  const found = await (isUse ? useFiles(db, owner) : findFiles(db, owner));
  const missing = files.find((file) => !found.some(({ id }) => id === file.id));
  if (missing) {
    throw invalidField(
      missing.field,
      `${missing.place} names no file of this account. Files are deleted 24 hours after their last use.`,
    );
  }
  return found;
}

/** Returns the task that the request's key names already; null for a new one that can be paid. Throws AppError. */
async function judgeBeforeStoring(accept: AcceptDeps, input: AcceptInput): Promise<Accepted | null> {
  const replay = (): Promise<Accepted | null> =>
    input.idempotencyKey === undefined ? Promise.resolve(null) : replayGeneration(accept, input);
  const earlier = await replay();
  const refusal = earlier ? null : await findRefusal(accept, input);
  if (!refusal) {
    return earlier;
  }
  // The request that took the money may have carried the same key.
  const winner = await replay();
  if (!winner) {
    throw refusal;
  }
  return winner;
}

/** Stores uploads and submits their task; see `submitWithInputs`. */
export async function storeAndSubmit(
  deps: StoreInputsDeps,
  { accountId, images }: { readonly accountId: string; readonly images: readonly InputImage[] },
  submit: () => Promise<Accepted>,
): Promise<Accepted> {
  const uploads = images.flatMap(({ upload, digest }) => (upload ? [{ ...upload, sha256: digest }] : []));
  if (uploads.length === 0) {
    return submit();
  }
  const names = uploads.map(({ name }) => name);
  const ids = names.map(({ id }) => id);
  await addUploads(deps, {
    accountId,
    uploads: uploads.map(({ name, body }) => ({ id: name.id, bytes: countBytes(body) })),
  });
  let isSubmitting = false;
  try {
    // All of them end before any is released.
    const puts = await Promise.allSettled(
      uploads.map(({ name, body, sha256 }) => putUpload(deps.store, name, { body, sha256 })),
    );
    const failed = puts.find((put) => put.status === 'rejected');
    if (failed) {
      throw failed.reason;
    }
    isSubmitting = true;
    const accepted = await submit();
    await (accepted.replayed
      ? releaseInputs(deps, names)
      : linkTaskInputs(deps.db, { taskId: accepted.task.id, ids }).catch((error: unknown) => {
          deps.logger.warn('uploads are not linked to their task', { error, taskId: accepted.task.id });
        }));
    return accepted;
  } catch (error) {
    // A task that may have been committed needs them; without one the sweep removes them within the hour.
    if (!isSubmitting || !LOST.has(toAppError(error).code)) {
      await releaseInputs(deps, names);
    }
    throw error;
  }
}

/** Returns the bytes of an upload. */
export function countBytes(body: Buffer | SpooledBody): number {
  return Buffer.isBuffer(body) ? body.length : body.bytes;
}

/**
 * Adds the rows of uploads. Throws AppError `RATE_LIMITED` when too many of the account wait for their tasks, or it may not
 * store as much.
 */
export async function addUploads(
  deps: Pick<StoreInputsDeps, 'db' | 'logger' | 'unpaidLimits'>,
  {
    accountId,
    uploads,
  }: {
    readonly accountId: string;
    readonly uploads: readonly { readonly id: string; readonly bytes: number }[];
  },
): Promise<void> {
  const added = await addTaskInputs(deps.db, { accountId, uploads, limits: deps.unpaidLimits });
  await refuseUnpaid(deps, added);
  if (!added.isAdded) {
    throw new AppError('RATE_LIMITED', {
      publicMessage: 'Too many uploads of this account wait for their tasks. Repeat the request in a moment.',
      retryAfterSeconds: 5,
    });
  }
}

/**
 * Throws AppError `RATE_LIMITED` for an upload beyond what accounts without a payment may store, and tells operators when all
 * of that is nearly used.
 */
export async function refuseUnpaid(
  { db, logger, unpaidLimits }: Pick<StoreInputsDeps, 'db' | 'logger' | 'unpaidLimits'>,
  judged: Pick<AddedInputs, 'refused' | 'used'>,
): Promise<void> {
  await tellUnpaidUploads(db, judged, unpaidLimits).catch((error: unknown) => {
    logger.warn('operators were not told of the storage of accounts without a payment', { error });
  });
  if (judged.refused === null) {
    return;
  }
  const { ownBytes, allBytes } = unpaidLimits;
  const limit =
    judged.refused === 'own'
      ? `An account that never had a top-up stores at most ${formatBytes(ownBytes)} of files and uploads of pending tasks`
      : `All accounts that never had a top-up store at most ${formatBytes(allBytes)} together (UNPAID_FILES_BYTES)`;
  throw new AppError('RATE_LIMITED', {
    publicMessage:
      `${limit}, and this upload would be too much. A top-up of this account lifts the limit; files are deleted 24 hours after ` +
      'their last use.',
    retryAfterSeconds: 60,
  });
}

function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = units.findLastIndex((_, at) => bytes % 1024 ** at === 0);
  return `${bytes / 1024 ** power} ${units[power]}`;
}

/** Stores the object of an upload. Throws AppError `SERVICE_UNAVAILABLE`. */
export async function putUpload(
  store: Pick<ObjectStore, 'put'>,
  { key }: InputName,
  { body, sha256 }: { readonly body: ObjectBody; readonly sha256: string },
): Promise<void> {
  try {
    await store.put(key, body, { contentType: 'application/octet-stream', sha256 });
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', {
      message: toAppError(cause).message,
      retryAfterSeconds: 5,
      cause,
    });
  }
}

/** Removes uploads: from the limit of the account first, then objects before rows. The sweep does what fails here. */
export async function releaseInputs(
  { db, store, logger }: StoreInputsDeps,
  names: readonly InputName[],
): Promise<void> {
  const ids = names.map(({ id }) => id);
  try {
    await releaseTaskInputs(db, ids);
    await store.remove(names.map(({ key }) => key));
    await deleteTaskInputs(db, ids);
  } catch (error) {
    logger.warn('uploads of a refused request are left to the sweep', { error });
  }
}
