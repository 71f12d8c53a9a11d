import { type Database, findPublicOutput } from '@image-gateway/shared/db';
import { parseOwnResultUrl } from '@image-gateway/shared/ids';
import type { ObjectBody } from '@image-gateway/shared/storage';
import { HEAD_BYTES, type ImageHead, readImageHead } from './read-image-head.js';
import { type InputImage, requireFiles } from './store-inputs.js';

/** Dependencies of finding sizes. */
export interface SizeDeps {
  readonly db: Pick<Database, 'run'>;
  /** Public base of result URLs. */
  readonly fileUrl: string;
}

/** Size of an input image in pixels. */
export type ImageSize = Pick<ImageHead, 'width' | 'height' | 'isTurned'>;

/**
 * Finds the size of an upload, a file of the account, or a result of this gateway. Null for an image that it does not have, and
 * for what is none.
 */
export async function findImageSize(
  { db, fileUrl }: SizeDeps,
  accountId: string,
  image: InputImage,
): Promise<ImageSize | null> {
  if (image.file) {
    const [file] = await requireFiles(db, { accountId, files: [image.file], isUse: false });
    return file ?? null;
  }
  if (image.upload) {
    return readUploadHead(image.upload.body);
  }
  const own = parseOwnResultUrl(image.entry, fileUrl);
  const size = own?.key ? await findPublicOutput(db, { taskId: own.taskId, key: own.key }) : null;
  return size && { ...size, isTurned: false };
}

/** Returns width over height of an image as it is shown; null where that is not known. */
export function readShape(size: ImageSize | null): number | null {
  if (size === null || size.isTurned === null) {
    return null;
  }
  return size.isTurned ? size.height / size.width : size.width / size.height;
}

/** Reads what the first bytes of an upload say. */
export async function readUploadHead(body: ObjectBody): Promise<ImageHead | null> {
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
