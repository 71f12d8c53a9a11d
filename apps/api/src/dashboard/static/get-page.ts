import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../../http/framework/call.js';
import { createFileReply } from './file-reply.js';
import type { PageFile } from './load-pages.js';
import { securityHeaders } from './security-headers.js';

/**
 * `GET /dashboard/…`: a file of the built pages, or the one page that shows everything else, which decides itself what a
 * path means. What is named after its content may be kept for ever.
 */
export function getPage(deps: {
  readonly pages: Promise<ReadonlyMap<string, PageFile>>;
  readonly fileUrl: string;
}): Handler {
  const security = securityHeaders({ images: new URL(deps.fileUrl).origin });
  return async (call) => {
    // The rest of a path comes as the list of its parts.
    const asked: unknown = call.params.path;
    const name = Array.isArray(asked) ? asked.join('/') : '';
    const pages = await deps.pages;
    const file = pages.get(name) ?? (/^(api|assets)(\/|$)/.test(name) ? undefined : pages.get('index.html'));
    if (!file) throw new AppError('NOT_FOUND');
    const headers = {
      ...security,
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    return createFileReply(call, file, headers);
  };
}
