import { createSemaphore } from '@image-gateway/shared/concurrency';
import { INPUT_IMAGE_REASONS, LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { Image } from '@image-gateway/shared/images';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { invalidField } from './field-error.js';
import { type ImageHead, readImageHead } from './read-image-head.js';
import type { EntryPlace } from './read-input-entry.js';
import type { SpooledBody } from './spool-upload.js';

/** Properties of an image that its check found. */
export type CheckedImage = Pick<Image, 'contentType' | 'extension' | 'width' | 'height'> &
  Pick<ImageHead, 'isTurned'>;

/** Image that is checked, and for whom. */
export interface ContentOrder extends EntryPlace {
  readonly accountId: string;
  readonly body: Buffer | SpooledBody;
  /** Ends the wait for a decoder. */
  readonly signal: AbortSignal;
}

/** Decodes an upload as a worker would. Throws FieldError for what is no input image, and AppError `SERVICE_UNAVAILABLE`. */
export type CheckContent = (order: ContentOrder) => Promise<CheckedImage>;

/** Images of a process that are in memory and decoded at a time. */
const CHECKS = 2;
const MAX_WAIT_MS = 60_000;
const DECODE_MS = 20_000;

/** Creates the check of a process. Pixels are decoded in processes of their own, accounts take turns, and none has all of them. */
export function createContentCheck({
  logger,
  metrics,
}: {
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'decoderFailures'>;
}): CheckContent {
  const checks = createSemaphore({
    permits: CHECKS,
    leavesRoom: 1,
    timeout: { ms: MAX_WAIT_MS, createError: () => unavailable('too many images wait to be decoded') },
  });
  const onFailure = (error: AppError): void => {
    metrics.decoderFailures.inc();
    logger.error('no decoder of images can be started', { error });
  };
  // The libraries for images take 25 MB, which a process without uploads does not need.
  const loadImages = async () => {
    const { createDecoder, createValidator, DECODER_BOUNDS, ...images } = await import(
      '@image-gateway/shared/images'
    );
    const bounds = { ...DECODER_BOUNDS, threadBytes: 0, timeoutMs: DECODE_MS };
    return { ...images, validate: createValidator({ decode: createDecoder({ bounds, onFailure }) }) };
  };
  let loading: ReturnType<typeof loadImages> | undefined;
  const load = (): ReturnType<typeof loadImages> => {
    loading ??= loadImages();
    return loading;
  };
  const check = async (
    { field, place, accountId, signal }: ContentOrder,
    bytes: Buffer,
  ): Promise<CheckedImage> => {
    const { ImageError, IMAGE_FAULTS, INPUT_LIMITS, validate } = await load();
    try {
      const terms = { key: accountId, signal };
      const { contentType, extension, width, height } = await validate(bytes, INPUT_LIMITS, terms);
      const isTurned = readImageHead(bytes)?.isTurned ?? null;
      return { contentType, extension, width, height, isTurned };
    } catch (error) {
      if (error instanceof ImageError) {
        throw invalidField(field, `${place} ${INPUT_IMAGE_REASONS[IMAGE_FAULTS[error.defect]]}.`);
      }
      throw error instanceof AppError && error.code === 'INTERNAL_ERROR' ? unavailable(error.message) : error;
    }
  };
  // The same memory serves all images of a rush: the collector would free that of each too late.
  const spare: Buffer[] = [];
  let running = 0;
  const checkSpooled = async (order: ContentOrder, body: SpooledBody): Promise<CheckedImage> => {
    const room = spare.pop() ?? Buffer.allocUnsafeSlow(LIMITS.inputImageBytes);
    running += 1;
    try {
      return await check(order, await body.read(room));
    } finally {
      running -= 1;
      spare.push(room);
      setImmediate(() => running === 0 && spare.splice(0));
    }
  };
  return (order) => {
    const { accountId, body, signal } = order;
    const run = () => (Buffer.isBuffer(body) ? check(order, body) : checkSpooled(order, body));
    return checks.run(run, { key: accountId, signal });
  };
}

function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 2 });
}
