import type { Middleware } from 's3rver';
import S3Error from 's3rver/lib/models/error.js';
import type { FileStore } from './create-file-store.js';
import { storeForRequest } from './store-for-request.js';

/** Refuses every request that s3rver would serve unsigned, before it comes that far, and hands it the store it may use. */
export function guardRequests(store: FileStore): Middleware {
  return async (ctx, next) => {
    // The three kinds of signature that s3rver checks; whatever has one of them is checked by it.
    const signed =
      ctx.headers.authorization !== undefined ||
      ctx.query.Signature !== undefined ||
      ctx.query['X-Amz-Algorithm'] !== undefined;
    if (!signed || ctx.method === 'OPTIONS') throw new S3Error('AccessDenied', 'Access denied.');
    if (isOutside(ctx.headers, ctx.query)) {
      throw new S3Error('NotImplemented', 'This server keeps whole objects only: no copies, parts or tags.');
    }
    ctx.store = storeForRequest(store, ctx);
    await next();
  };
}

function isOutside(
  headers: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): boolean {
  return 'x-amz-copy-source' in headers || ['uploads', 'uploadId', 'tagging'].some((name) => name in query);
}
