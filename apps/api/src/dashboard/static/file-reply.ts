import fresh from 'fresh';
import type { Call, Reply } from '../../http/framework/call.js';
import type { PageFile } from './load-pages.js';

/** Creates the response with a file, compressed for clients that accept gzip; `304` for a fresh ETag. */
export function createFileReply(
  call: Pick<Call, 'header'>,
  file: PageFile,
  more: NonNullable<Reply['headers']>,
): Reply {
  const headers = { ...more, 'Content-Type': file.type, ETag: file.etag, Vary: 'Accept-Encoding' };
  if (fresh({ 'if-none-match': call.header('if-none-match').join(', ') }, { etag: file.etag })) {
    return { status: 304, headers };
  }
  const takesGzip = call.header('accept-encoding').some((value) => /\bgzip\b/.test(value));
  if (!takesGzip || !file.zipped) {
    return { status: 200, headers, text: file.bytes };
  }
  return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, text: file.zipped };
}
