import { createSemaphore, type Semaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ApiSettings } from './env.js';
import { type CheckContent, createContentCheck } from './file/uploads/check-content.js';
import { createUploadSlots } from './file/uploads/create-upload-slots.js';
import { createUploadSpool } from './file/uploads/create-upload-spool.js';
import type { RoomDeps } from './file/uploads/open-room.js';

/** The room for uploads of a process, whichever route they come by. */
export interface UploadRoom extends RoomDeps {
  readonly checkContent: CheckContent;
}

/** Bytes of disk for uploads under way. */
const UPLOAD_BYTES = 1024 * 1024 * 1024;
const UPLOAD_WAIT_MS = 60_000;

/** Wires the room for uploads. */
export function composeUploads(
  settings: Pick<ApiSettings, 'SPOOL_DIR'>,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): UploadRoom {
  return {
    uploadSlots: createUploadSlots(),
    spool: createUploadSpool(settings.SPOOL_DIR, { maxBytes: UPLOAD_BYTES, logger, metrics }),
    uploadBytes: createUploadPermits(UPLOAD_BYTES),
    checkContent: createContentCheck({ logger, metrics }),
  };
}

/** Creates permits of bytes, for which uploads wait for a limited time. */
function createUploadPermits(permits: number): Semaphore {
  const createError = (): AppError =>
    new AppError('SERVICE_UNAVAILABLE', { message: 'no room for uploads', retryAfterSeconds: 5 });
  return createSemaphore({ permits, leavesRoom: 1, timeout: { ms: UPLOAD_WAIT_MS, createError } });
}
