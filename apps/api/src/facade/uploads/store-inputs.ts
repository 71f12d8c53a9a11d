import type { Accepted } from '@image-gateway/shared/billing';
import {
  addTaskInputs,
  type Database,
  deleteTaskInputs,
  linkTaskInputs,
  releaseTaskInputs,
} from '@image-gateway/shared/db';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { InputName } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import type { ObjectBody, ObjectStore } from '@image-gateway/shared/storage';

/** Dependencies of storing uploads. */
export interface StoreInputsDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'put' | 'remove'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Input image of a request. */
export interface InputImage {
  /** Entry of `image_urls`. */
  readonly entry: string;
  /** SHA-256 of the bytes in hexadecimal, or the URL. */
  readonly digest: string;
  /** Present for an upload, which is stored only when its task is submitted. */
  readonly upload?: { readonly name: InputName; readonly body: ObjectBody };
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
 * Stores the uploads of a request, their rows first so that the sweep knows every object, and submits its task. A request that is refused
 * or replayed releases them at once. Throws AppError.
 */
export async function submitWithInputs(
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
  if (!(await addTaskInputs(deps.db, { ids, accountId }))) {
    throw new AppError('RATE_LIMITED', {
      publicMessage: 'Too many uploads of this account wait for their tasks. Repeat the request in a moment.',
      retryAfterSeconds: 5,
    });
  }
  let isSubmitting = false;
  try {
    const options = { contentType: 'application/octet-stream' };
    // All of them end before any is released.
    const puts = await Promise.allSettled(
      uploads.map(({ name, body, sha256 }) => deps.store.put(name.key, body, { ...options, sha256 })),
    );
    const failed = puts.find((put) => put.status === 'rejected');
    if (failed) {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: toAppError(failed.reason).message,
        retryAfterSeconds: 5,
        cause: failed.reason,
      });
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

/** Removes uploads: from the limit of the account first, then objects before rows. The sweep does what fails here. */
async function releaseInputs(
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
