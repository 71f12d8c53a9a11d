import type { Readable } from 'node:stream';
import { failure } from '@image-gateway/shared/contract';
import type { FindPublicImage, PublicImage } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseImageKey, taskPrefix } from '@image-gateway/shared/ids';
import type { ByteRange } from '@image-gateway/shared/storage';
import fresh from 'fresh';
import { LRUCache } from 'lru-cache';
import { toAddressKey } from '../http/address-limits.js';
import type { Call, Handler, Reply } from '../http/framework/call.js';
import type { ReadObject } from './create-object-reader.js';
import { parseRange } from './parse-range.js';

/** Dependencies of serving images. */
export interface GetFileDeps {
  readonly findImage: FindPublicImage;
  readonly readObject: ReadObject;
}

/** Downloads at a time of one address; browsers use six, and a page of results has a hundred images. */
const MAX_DOWNLOADS = 128;
/** Ids of tasks that do not exist are not looked up again for a second. A task that exists may complete at any moment. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 1_000;
/** A year, the longest that HTTP suggests. */
const MAX_AGE_SECONDS = 31_536_000;

/** `GET /files/images/{task}/{index}.{extension}`: an image of a completed task, from the bucket. */
export function getFile({ findImage: find, readObject: read }: GetFileDeps): Handler {
  const missing = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  const downloads = new Map<string, number>();
  const count = (address: string, change: 1 | -1): void => {
    const now = (downloads.get(address) ?? 0) + change;
    if (now === 0) {
      downloads.delete(address);
    } else {
      downloads.set(address, now);
    }
  };
  const open = async (address: string, image: PublicImage, part: ByteRange): Promise<Readable> => {
    if ((downloads.get(address) ?? 0) >= MAX_DOWNLOADS) {
      const publicMessage = `This address has ${MAX_DOWNLOADS} downloads under way, the maximum. Wait for some to finish.`;
      throw new AppError('RATE_LIMITED', { publicMessage, retryAfterSeconds: 1 });
    }
    count(address, 1);
    const body = await read({ key: image.key, ...part, address }).catch((error: unknown) => {
      count(address, -1);
      throw error;
    });
    if (body) {
      body.once('close', () => count(address, -1));
      return body;
    }
    count(address, -1);
    throw new AppError('INTERNAL_ERROR', { message: `the object ${image.key} is gone` });
  };
  return async (call) => {
    const image = await findPublicImage(find, missing, call);
    const etag = `"${image.sha256}"`;
    const headers = {
      'Content-Type': image.contentType,
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Cache-Control': `public, max-age=${getMaxAge(image)}, immutable`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
    if (fresh({ 'if-none-match': call.header('if-none-match').join(', ') }, { etag })) {
      return { status: 304, headers };
    }
    const [ifRange] = call.header('if-range');
    const requested = ifRange === undefined || ifRange === etag ? call.header('range')[0] : undefined;
    const range = parseRange(requested, image.bytes);
    if (range === 'unsatisfiable') {
      return unsatisfiable(image.bytes);
    }
    const part = range === 'all' ? { start: 0, end: image.bytes - 1 } : range;
    const partial: Reply['headers'] =
      range === 'all' ? {} : { 'Content-Range': `bytes ${part.start}-${part.end}/${image.bytes}` };
    const reply: Reply = {
      status: range === 'all' ? 200 : 206,
      headers: { ...headers, ...partial, 'Content-Length': String(part.end - part.start + 1) },
    };
    if (call.method === 'HEAD') {
      return reply;
    }
    return { ...reply, stream: await open(toAddressKey(call.ip), image, part), ownsChunks: true };
  };
}

/** Returns the seconds for which caches may keep an image: no longer than its retention. */
function getMaxAge({ secondsLeft }: PublicImage): number {
  return Math.floor(Math.min(secondsLeft ?? MAX_AGE_SECONDS, MAX_AGE_SECONDS));
}

async function findPublicImage(
  find: FindPublicImage,
  missing: LRUCache<string, true>,
  { params }: Call,
): Promise<PublicImage> {
  const { task: taskId = '', name = '' } = params;
  const key = `${taskPrefix(taskId)}${name}`;
  const isLookedUp = parseImageKey(key) !== null && !missing.has(taskId);
  const image = isLookedUp ? await find({ taskId, key }) : null;
  if (image === undefined) {
    missing.set(taskId, true);
  }
  if (!image) {
    throw new AppError('NOT_FOUND', { publicMessage: 'Image not found.' });
  }
  return image;
}

function unsatisfiable(bytes: number): Reply {
  return {
    status: 416,
    headers: { 'Content-Range': `bytes */${bytes}`, 'Cache-Control': 'no-store' },
    json: failure('RANGE_NOT_SATISFIABLE', `The image has ${bytes} bytes; the range lies outside of it.`),
  };
}
