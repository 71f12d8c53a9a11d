import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Semaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { Spool, SpoolFile } from '@image-gateway/shared/spool';
import type { StreamedBody } from '@image-gateway/shared/storage';
import type { KeyCall } from '../../http/framework/call.js';

/** Dependencies of receiving uploads. */
export interface SpoolDeps {
  /** Disk on which uploads wait until they are whole. */
  readonly spool: Spool;
  /** Semaphore with one permit for each byte of disk that the uploads of the process may take. */
  readonly uploadBytes: Pick<Semaphore, 'acquire'>;
}

/** Upload that is to be received. */
export interface UploadOrder {
  readonly source: AsyncIterable<unknown>;
  readonly maxBytes: number;
  readonly createTooLarge: () => Error;
}

/** Upload that is on disk as a whole. */
export interface SpooledUpload extends StreamedBody {
  readonly readAll: () => Promise<Buffer>;
}

/** Bytes that are read from the disk at a time. */
const PIECE_BYTES = 128 * 1024;

/**
 * Receives an upload and works with it. It comes as slowly as its client sends it, and the store wants to know its length first. So it
 * waits on disk, and memory holds one chunk of it. Throws AppError.
 */
export async function spoolUpload<R>(
  { spool, uploadBytes }: SpoolDeps,
  { caller, header, expectUpload }: Pick<KeyCall, 'caller' | 'header' | 'expectUpload'>,
  order: UploadOrder,
  work: (upload: SpooledUpload) => Promise<R>,
): Promise<R> {
  const upload = expectUpload();
  const length = Number(header('content-length')[0] ?? Number.POSITIVE_INFINITY);
  upload.isPaused = true;
  const release = await uploadBytes
    .acquire({ key: caller.accountId, count: Math.min(length, order.maxBytes) })
    .finally(() => {
      upload.isPaused = false;
    });
  try {
    const file = await spool.open().catch(refuse);
    try {
      return await work(await receive(file, order));
    } finally {
      await file.close();
    }
  } finally {
    release();
  }
}

async function receive(
  file: SpoolFile,
  { source, maxBytes, createTooLarge }: UploadOrder,
): Promise<SpooledUpload> {
  const sha256 = createHash('sha256');
  for await (const next of source) {
    const chunk = next as Buffer;
    if (file.size() + chunk.length > maxBytes) {
      throw createTooLarge();
    }
    sha256.update(chunk);
    if (!(await file.append([chunk]).catch(refuse))) {
      refuse();
    }
  }
  const bytes = file.size();
  const read = async (position: number, length: number): Promise<Buffer> => {
    const piece = Buffer.allocUnsafe(length);
    await file.read(piece, position);
    return piece;
  };
  const readPieces = async function* () {
    for (let at = 0; at < bytes; at += PIECE_BYTES) {
      yield await read(at, Math.min(PIECE_BYTES, bytes - at));
    }
  };
  return {
    bytes,
    sha256: sha256.digest('hex'),
    open: () => Readable.from(readPieces(), { objectMode: false }),
    readAll: () => read(0, bytes),
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
