import { LIMITS } from '@image-gateway/shared/contract';
import { type Database, findPublicOutput } from '@image-gateway/shared/db';
import { parseInputEntry, parseOwnResultUrl } from '@image-gateway/shared/ids';
import {
  IMAGE_FAULTS,
  type Image,
  ImageError,
  INPUT_LIMITS,
  type ResizeImage,
  type ValidateImage,
} from '@image-gateway/shared/images';
import { pause } from '@image-gateway/shared/lifecycle';
import { type Outbound, OutboundError } from '@image-gateway/shared/outbound';
import { type ObjectStore, StorageError } from '@image-gateway/shared/storage';
import type { InputImage } from '../providers/port.js';
import type { HostLimits } from './create-host-limits.js';
import { fitMask } from './fit-mask.js';
import { InputImageError, type InputImageFault } from './input-image-error.js';

/** Dependencies of loading an input image. */
export interface InputDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'read'>;
  readonly outbound: Pick<Outbound, 'fetchBytes'>;
  readonly hostLimits: HostLimits;
  readonly validate: ValidateImage;
  readonly resize: ResizeImage;
  /** Public base of result URLs. */
  readonly fileUrl: string;
}

/** Entry of `image_urls`: a URL, or `input:<id>` for an upload. */
export interface InputEntry {
  readonly url: string;
  readonly index: number;
  /** Mask of this image, `input:<id>`; absent without one. */
  readonly mask?: string | undefined;
  /** Account of the task. */
  readonly accountId: string;
  readonly signal: AbortSignal;
}

const PAUSE_MS = 500;

/**
 * Loads and validates one input image, with its mask. Throws InputImageError when one cannot be used, and errors of our own
 * database and store.
 */
export async function loadInput(deps: InputDeps, entry: InputEntry): Promise<InputImage> {
  const fail: Fail = (fault, cause) => InputImageError.fromInput(entry.index, fault, cause);
  const source = await loadImage(deps, entry, fail);
  const owner = { key: entry.accountId, signal: entry.signal };
  const image = await explain(fail, () => deps.resize(source, owner));
  if (entry.mask === undefined) {
    return image;
  }
  const failMask: Fail = (fault, cause) => InputImageError.fromMask(fault, cause);
  const given = await loadImage(deps, { ...entry, url: entry.mask }, failMask);
  const mask = await explain(failMask, async () =>
    fitMask({ given, scaled: await deps.resize(given, owner) }, { source, image }),
  );
  return { ...image, mask };
}

/** Makes the error of an image with a fault. */
type Fail = (fault: InputImageFault, cause?: unknown) => InputImageError;

async function loadImage(deps: InputDeps, entry: InputEntry, fail: Fail): Promise<Image> {
  const owner = { key: entry.accountId, signal: entry.signal };
  return explain(fail, async () => {
    const bytes = await readBytes(deps, entry);
    if (bytes === null) {
      throw fail('unreachable');
    }
    return deps.validate(bytes, INPUT_LIMITS, owner);
  });
}

/** Runs an action on an image. Throws InputImageError for what makes the image unusable. */
async function explain<T>(fail: Fail, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ImageError) {
      throw fail(IMAGE_FAULTS[error.defect], error);
    }
    const tooLarge =
      (error instanceof OutboundError && error.reason === 'too-large') ||
      (error instanceof StorageError && error.fault === 'too-large');
    if (tooLarge) {
      throw fail('tooLarge', error);
    }
    if (error instanceof OutboundError) {
      throw fail('unreachable', error);
    }
    throw error;
  }
}

/** Reads an upload or a result of this gateway from the store, and downloads everything else; null for an image that is gone. */
async function readBytes(deps: InputDeps, entry: InputEntry): Promise<Buffer | null> {
  const upload = parseInputEntry(entry.url);
  if (upload) {
    return deps.store.read(upload.key, INPUT_LIMITS.maxBytes);
  }
  const own = parseOwnResultUrl(entry.url, deps.fileUrl);
  return own ? readOwnResult(deps, own.taskId, own.key) : downloadImage(deps, entry);
}

async function readOwnResult(
  { db, store }: InputDeps,
  taskId: string,
  key: string | null,
): Promise<Buffer | null> {
  if (key === null || (await findPublicOutput(db, { taskId, key })) === null) {
    return null;
  }
  return store.read(key, INPUT_LIMITS.maxBytes);
}

// A failed download is retried once, within the time that the contract allows for an image.
async function downloadImage(
  { outbound, hostLimits }: InputDeps,
  { url, accountId, signal }: InputEntry,
): Promise<Buffer> {
  let until = performance.now() + LIMITS.inputImageTimeoutMs;
  const admit = async (target: URL): Promise<() => void> => {
    const askedAt = performance.now();
    const release = await hostLimits.admit(target, { accountId, signal });
    until += performance.now() - askedAt;
    return release;
  };
  const fetchOnce = async (): Promise<Buffer> => {
    const answer = await outbound.fetchBytes({
      url,
      maxBytes: INPUT_LIMITS.maxBytes,
      timeoutMs: Math.max(1, until - performance.now()),
      maxRedirects: LIMITS.inputImageRedirects,
      signal,
      admit,
    });
    return answer.bytes;
  };
  try {
    return await fetchOnce();
  } catch (error) {
    if (!(error instanceof OutboundError && error.retryable) || performance.now() + 2 * PAUSE_MS > until) {
      throw error;
    }
    await pause(PAUSE_MS, signal);
    return fetchOnce();
  }
}
