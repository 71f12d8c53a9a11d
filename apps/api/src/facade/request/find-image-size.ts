import { type Database, findPublicOutput } from '@image-gateway/shared/db';
import { parseOwnResultUrl } from '@image-gateway/shared/ids';
import type { ObjectBody } from '@image-gateway/shared/storage';
import type { InputImage } from '../uploads/store-inputs.js';
import { HEAD_BYTES, type ImageHead, readImageHead } from './read-image-head.js';

/** Dependencies of finding sizes. */
export interface SizeDeps {
  readonly db: Pick<Database, 'run'>;
  /** Public base of result URLs. */
  readonly fileUrl: string;
}

/** Size of an input image in pixels. */
export type ImageSize = Pick<ImageHead, 'width' | 'height' | 'isTurned'>;

/** Finds the size of an input image that the gateway has: an upload, or a result of its own; null for others and for what is no image. */
export async function findImageSize({ db, fileUrl }: SizeDeps, image: InputImage): Promise<ImageSize | null> {
  if (image.upload) {
    return readHeadOf(image.upload.body);
  }
  const own = parseOwnResultUrl(image.entry, fileUrl);
  const size = own?.key ? await findPublicOutput(db, { taskId: own.taskId, key: own.key }) : null;
  return size && { ...size, isTurned: false };
}

/** Reads what the first bytes of an upload say. */
export async function readHeadOf(body: ObjectBody): Promise<ImageHead | null> {
  if (Buffer.isBuffer(body)) {
    return readImageHead(body);
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body.open()) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    if (bytes >= HEAD_BYTES) {
      break;
    }
  }
  return readImageHead(Buffer.concat(pieces));
}
