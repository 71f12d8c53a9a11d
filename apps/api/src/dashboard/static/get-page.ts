import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../../http/framework/call.js';
import { createFileReply } from './file-reply.js';
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
