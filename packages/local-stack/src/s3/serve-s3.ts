import http from 'node:http';
import S3rver, { type Middleware } from 's3rver';
import accounts from 's3rver/lib/models/account.js';
import S3Error from 's3rver/lib/models/error.js';
import { createFileStore, type FileStore } from './create-file-store.js';
import { createRequestStore } from './create-request-store.js';

/** Settings of the embedded object store. */
export interface S3ServerOptions {
  readonly folder: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Created if missing. */
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Flushes a put to disk before its response. */
  readonly durable: boolean;
  /** Receives faults of the server itself. */
  readonly onFault: (error: Error) => void;
}

/** Running embedded object store. */
export interface S3Server {
  readonly url: string;
  /** Ends at once with all running requests; no partial object remains. */
  readonly close: () => Promise<void>;
}

/**
 * Serves one private object store on 127.0.0.1 with protocol and signatures of s3rver, and with files and conditions of this
 * package. Accounts of s3rver are global, so a process serves one store.
 */
export async function serveS3(options: S3ServerOptions): Promise<S3Server> {
  const { folder, port, bucket, accessKey, secretKey, durable, onFault } = options;
  const store = await createFileStore({ folder, durable });
  await store.makeBucket(bucket);
  // Replaces the well-known default key of s3rver.
  accounts.DUMMY_ACCOUNT.revokeAccessKey('S3RVER');
  accounts.DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);

  const app = new S3rver({ silent: true, directory: folder, vhostBuckets: false });
  // For buckets s3rver uses the store of the application, for all else that of the request.
  app.store = { getBucket: store.bucket };
  app.middleware.unshift(guardRequests(store));
  app.on('error', (error) => {
    if (!('status' in error) && !isDisconnect(error)) {
      onFault(error);
    }
  });
  // The method `run` of s3rver crashes when the port is in use.
  const server = http.createServer(app.callback());
  const used = await listen(server, port);
  return {
    url: `http://127.0.0.1:${used}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') {
        resolve(address.port);
      }
    });
  });
}

function isDisconnect(error: Error): boolean {
  const codes = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED'];
  return 'code' in error && codes.includes(String(error.code));
}

/** Middleware that refuses unsigned requests, which s3rver would serve, and sets the store of the request. */
function guardRequests(store: FileStore): Middleware {
  return async (ctx, next) => {
    // Requests with one of these three kinds of signature are verified by s3rver.
    const signed =
      ctx.headers.authorization !== undefined ||
      ctx.query.Signature !== undefined ||
      ctx.query['X-Amz-Algorithm'] !== undefined;
    if (!signed || ctx.method === 'OPTIONS') {
      throw new S3Error('AccessDenied', 'Access denied.');
    }
    if (isOutside(ctx.headers, ctx.query)) {
      throw new S3Error('NotImplemented', 'This server keeps whole objects only: no copies, parts or tags.');
    }
    ctx.store = createRequestStore(store, ctx);
    await next();
  };
}

function isOutside(
  headers: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): boolean {
  return 'x-amz-copy-source' in headers || ['uploads', 'uploadId', 'tagging'].some((name) => name in query);
}
