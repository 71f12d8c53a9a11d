import { AppError } from '@image-gateway/shared/errors';
import fresh from 'fresh';
import type { Call, Handler, Reply } from '../framework/call.js';
import type { PageFile } from './load-pages.js';
import { securityHeaders } from './security-headers.js';

/**
 * `GET /dashboard/…`: a file of the built pages, or the page of the application, which routes every other path itself.
 * Files with a hash in their names are cached for ever.
 */
export function getPage(deps: {
  readonly pages: Promise<ReadonlyMap<string, PageFile>>;
  readonly fileUrl: string;
}): Handler {
  const security = securityHeaders({ images: new URL(deps.fileUrl).origin });
  return async (call) => {
    // The rest of a path comes as the list of its parts.
    const rest: unknown = call.params.path;
    const name = Array.isArray(rest) ? rest.join('/') : '';
    const pages = await deps.pages;
    const file = pages.get(name) ?? (/^(api|assets)(\/|$)/.test(name) ? undefined : pages.get('index.html'));
    if (!file) {
      throw new AppError('NOT_FOUND');
    }
    const headers = {
      ...security,
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    return createFileReply(call, file, headers);
  };
}

/** Creates the response with a file, compressed for clients that accept gzip; `304` for a fresh ETag. */
function createFileReply(
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
