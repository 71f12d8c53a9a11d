import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../../http/call.js';
import type { PageFile } from './load-pages.js';

/** What the pages may do: scripts and styles of their own, pictures of this gateway, and nothing of anybody else. */
const securityOf = (fileUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${new URL(fileUrl).origin}`,
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * `GET /dashboard/…`: a file of the built pages, or the one page that shows everything else, which decides itself what a
 * path means. What is named after its content may be kept for ever.
 */
export function getPage(deps: {
  readonly pages: Promise<ReadonlyMap<string, PageFile>>;
  readonly fileUrl: string;
}): Handler {
  const security = securityOf(deps.fileUrl);
  return async (call) => {
    // The rest of a path comes as the list of its parts.
    const asked: unknown = call.params.path;
    const name = Array.isArray(asked) ? asked.join('/') : '';
    const pages = await deps.pages;
    const file = pages.get(name) ?? (/^(api|assets)(\/|$)/.test(name) ? undefined : pages.get('index.html'));
    if (!file) throw new AppError('NOT_FOUND');
    const headers = {
      'Content-Type': file.type,
      'Content-Security-Policy': security,
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
    };
    if (call.header('if-none-match').some((value) => value.includes(file.etag)))
      return { status: 304, headers };
    const takesGzip = call.header('accept-encoding').some((value) => /\bgzip\b/.test(value));
    if (!takesGzip || !file.zipped) return { status: 200, headers, text: file.bytes };
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, text: file.zipped };
  };
}
