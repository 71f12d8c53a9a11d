import { buffer } from 'node:stream/consumers';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { INPUT_IMAGE_REASONS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import {
  createDecoder,
  createValidator,
  DECODER_BOUNDS,
  IMAGE_FAULTS,
  type Image,
  ImageError,
  INPUT_LIMITS,
} from '@image-gateway/shared/images';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectBody } from '@image-gateway/shared/storage';
import { invalidField } from './field-error.js';
import { type ImageHead, readImageHead } from './read-image-head.js';
import type { EntryPlace } from './read-input-entry.js';

/** Properties of an image that its check found. */
export type CheckedImage = Pick<Image, 'contentType' | 'extension' | 'width' | 'height'> &
  Pick<ImageHead, 'isTurned'>;

/** Image that is checked, and for whom. */
export interface ContentOrder extends EntryPlace {
  readonly accountId: string;
  readonly body: ObjectBody;
  /** Ends the wait for a decoder. */
  readonly signal: AbortSignal;
}

/** Decodes an upload as a worker would. Throws FieldError for what is no input image, and AppError `SERVICE_UNAVAILABLE`. */
export type CheckContent = (order: ContentOrder) => Promise<CheckedImage>;

/** Images of a process that are in memory and decoded at a time. */
const CHECKS = 2;
const MAX_WAIT_MS = 30_000;
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
  const decode = createDecoder({
    bounds: { ...DECODER_BOUNDS, threadBytes: 0, timeoutMs: DECODE_MS },
    onFailure: (error) => {
      metrics.decoderFailures.inc();
      logger.error('no decoder of images can be started', { error });
    },
  });
  const validate = createValidator({ decode });
  const check = async ({ field, place, accountId, body, signal }: ContentOrder): Promise<CheckedImage> => {
    const bytes = Buffer.isBuffer(body) ? body : await buffer(body.open());
    try {
      const { contentType, extension, width, height } = await validate(bytes, INPUT_LIMITS, {
        key: accountId,
        signal,
      });
      const isTurned = readImageHead(bytes)?.isTurned ?? null;
      return { contentType, extension, width, height, isTurned };
    } catch (error) {
      if (error instanceof ImageError) {
        throw invalidField(field, `${place} ${INPUT_IMAGE_REASONS[IMAGE_FAULTS[error.defect]]}.`);
      }
      throw error instanceof AppError && error.code === 'INTERNAL_ERROR' ? unavailable(error.message) : error;
    }
  };
  return (order) => checks.run(() => check(order), { key: order.accountId, signal: order.signal });
}

function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 2 });
}
