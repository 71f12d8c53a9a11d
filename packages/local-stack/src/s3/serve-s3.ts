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
  /** Made when it is not there. */
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
  /** Ends at once, also what is under way; nothing half written stays. */
  readonly close: () => Promise<void>;
}

/**
 * Serves one private object store on 127.0.0.1: the protocol and the signatures are s3rver's, the files and the
 * conditions ours. Its accounts are kept per process, so a process serves one such store.
 */
export async function serveS3(options: S3ServerOptions): Promise<S3Server> {
  const { folder, port, bucket, accessKey, secretKey, durable, onFault } = options;
  const store = await createFileStore({ folder, durable });
  await store.makeBucket(bucket);
  // s3rver comes with one well-known pair of keys.
  accounts.DUMMY_ACCOUNT.revokeAccessKey('S3RVER');
  accounts.DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);

  const app = new S3rver({ silent: true, directory: folder, vhostBuckets: false });
  // It looks buckets up in the store of the application, everything else in that of the request.
  app.store = { getBucket: store.bucket };
  app.middleware.unshift(guardRequests(store));
  app.on('error', (error) => {
    if (!('status' in error) && !isGoneClient(error)) {
      onFault(error);
    }
  });
  // Its own `run` does not survive a port that is taken.
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

function isGoneClient(error: Error): boolean {
  const codes = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED'];
  return 'code' in error && codes.includes(String(error.code));
}

/** Refuses every request that s3rver would serve unsigned, before it comes that far, and hands it the store it may use. */
function guardRequests(store: FileStore): Middleware {
  return async (ctx, next) => {
    // The three kinds of signature that s3rver checks; whatever has one of them is checked by it.
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
