import { failure } from '@image-gateway/shared/contract';
import { type Database, findPublicPicture, type PublicPicture } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { Call, Handler, Reply } from '../http/call.js';
import { isNamed } from '../http/is-named.js';
import { parseRange } from '../http/parse-range.js';

/** What serving pictures needs. */
export interface GetFileDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'stream'>;
}

/** `GET /files/images/{task}/{index}.{extension}`: a picture of a completed task, straight from the bucket. */
export function getFile({ db, store }: GetFileDeps): Handler {
  return async (call) => {
    const picture = await findPicture(db, call);
    const etag = `"${picture.sha256}"`;
    const headers = {
      'Content-Type': picture.contentType,
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
    if (isNamed(call.header('if-none-match'), etag)) return { status: 304, headers };
    const [ifRange] = call.header('if-range');
    const asked = ifRange === undefined || ifRange === etag ? call.header('range')[0] : undefined;
    const range = parseRange(asked, picture.bytes);
    if (range === 'unsatisfiable') return unsatisfiable(picture.bytes);
    const part = range === 'all' ? { start: 0, end: picture.bytes - 1 } : range;
    const partial: Reply['headers'] =
      range === 'all' ? {} : { 'Content-Range': `bytes ${part.start}-${part.end}/${picture.bytes}` };
    const reply: Reply = {
      status: range === 'all' ? 200 : 206,
      headers: { ...headers, ...partial, 'Content-Length': String(part.end - part.start + 1) },
    };
    if (call.method === 'HEAD') return reply;
    const found = await store.stream(picture.key, range === 'all' ? undefined : range);
    if (!found) throw new AppError('INTERNAL_ERROR', { message: `the object ${picture.key} is gone` });
    return { ...reply, stream: found.body };
  };
}

async function findPicture(db: GetFileDeps['db'], { params }: Call): Promise<PublicPicture> {
  const { task: taskId = '', name = '' } = params;
  const isPossible = /^gen_[0-9A-Za-z]{1,64}$/.test(taskId) && /^(0|[1-9]\d{0,2})\.[a-z]{3,4}$/.test(name);
  const picture = isPossible
    ? await findPublicPicture(db, { taskId, key: `images/${taskId}/${name}` })
    : null;
  if (!picture) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such picture.' });
  return picture;
}

function unsatisfiable(bytes: number): Reply {
  return {
    status: 416,
    headers: { 'Content-Range': `bytes */${bytes}`, 'Cache-Control': 'no-store' },
    json: failure('BAD_REQUEST', `The picture has ${bytes} bytes; the range lies outside of it.`),
  };
}
