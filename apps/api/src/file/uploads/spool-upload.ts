import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Semaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { Spool } from '@image-gateway/shared/spool';
import type { StreamedBody } from '@image-gateway/shared/storage';
import type { KeyCall } from '../../http/framework/call.js';

/** Dependencies of receiving uploads. */
export interface SpoolDeps {
  /** Disk on which uploads wait until their request is judged. */
  readonly spool: Spool;
  /** Semaphore with one permit for each byte of disk that the uploads of the process may take. */
  readonly uploadBytes: Pick<Semaphore, 'acquire'>;
}

/** Disk space of one request. */
export interface RequestSpool {
  /** Begins the next upload. The one before must have ended. */
  readonly begin: () => SpoolWriter;
  /** Frees the space; what was received can't be read any more. Later calls do nothing. */
  readonly close: () => Promise<void>;
}

/** Upload that arrives. */
export interface SpoolWriter {
  /** Throws AppError `SERVICE_UNAVAILABLE` where the disk takes no more. */
  readonly write: (chunk: Buffer) => Promise<void>;
  /** Bytes that were written. */
  readonly size: () => number;
  readonly end: () => SpooledBody;
}

/** Upload on disk. */
export interface SpooledBody extends StreamedBody {
  /** Reads all of it into memory that has room for it. */
  readonly read: (into: Buffer) => Promise<Buffer>;
}

/** Bytes that are read from the disk at a time. */
const PIECE_BYTES = 128 * 1024;

/**
 * Reserves disk space for the uploads of a request. They come as slowly as their client sends them, and nothing is stored before the
 * request is judged. So they wait on disk, and memory holds one chunk of them. Throws AppError.
 */
export async function openRequestSpool(
  { spool, uploadBytes }: SpoolDeps,
  { caller, header, expectUpload }: Pick<KeyCall, 'caller' | 'header' | 'expectUpload'>,
  maxBytes: number,
): Promise<RequestSpool> {
  const upload = expectUpload();
  const length = Number(header('content-length')[0] ?? Number.POSITIVE_INFINITY);
  upload.isPaused = true;
  const release = await uploadBytes
    .acquire({ key: caller.accountId, count: Math.min(length, maxBytes) })
    .finally(() => {
      upload.isPaused = false;
    });
  const file = await spool.open().catch((error: unknown) => {
    release();
    return refuse(error);
  });
  let closing: Promise<void> | undefined;
  const begin = (): SpoolWriter => {
    const start = file.size();
    const sha256 = createHash('sha256');
    const read = async (position: number, length: number): Promise<Buffer> => {
      const piece = Buffer.allocUnsafe(length);
      await file.read(piece, position);
      return piece;
    };
    return {
      write: async (chunk) => {
        sha256.update(chunk);
        if (!(await file.append([chunk]).catch(refuse))) {
          refuse();
        }
      },
      size: () => file.size() - start,
      end: () => {
        const end = file.size();
        const readPieces = async function* () {
          for (let at = start; at < end; at += PIECE_BYTES) {
            yield await read(at, Math.min(PIECE_BYTES, end - at));
          }
        };
        return {
          bytes: end - start,
          sha256: sha256.digest('hex'),
          read: async (into) => {
            const bytes = into.subarray(0, end - start);
            await file.read(bytes, start);
            return bytes;
          },
          open: () => Readable.from(readPieces(), { objectMode: false }),
        };
      },
    };
  };
  return {
    begin,
    close: () => {
      closing ??= file.close().finally(release);
      return closing;
    },
  };
}

/** Throws AppError for a disk that takes no uploads. */
function refuse(cause?: unknown): never {
  throw new AppError('SERVICE_UNAVAILABLE', {
    message: 'the disk takes no uploads',
    retryAfterSeconds: 5,
    cause,
  });
}
