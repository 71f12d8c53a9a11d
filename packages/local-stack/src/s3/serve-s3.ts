import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { checkSignature, type S3Keys } from './check-signature.js';
import { createFileStore, type FileStore } from './create-file-store.js';
import { listObjects, removeObjects, sendLocation, sendXml } from './handle-bucket.js';
import { getObject, type ObjectRequest, putObject } from './handle-object.js';
import { nameServer } from './name-server.js';
import { S3Error } from './s3-error.js';

/** Settings of the embedded object store. */
export interface S3ServerOptions extends S3Keys {
  readonly folder: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Created if missing. */
  readonly bucket: string;
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

/** Serves one private object store on 127.0.0.1: the part of the S3 protocol that keeps whole objects. */
export async function serveS3(options: S3ServerOptions): Promise<S3Server> {
  const { folder, port, bucket, durable, onFault } = options;
  const store = await createFileStore({ folder, durable });
  await store.makeBucket(bucket);
  const name = nameServer(options.accessKey);
  const server = http.createServer((request, response) => {
    response.setHeader('server', name);
    handle(store, options, request, response).catch((error: Error) => {
      const refusal = error instanceof S3Error ? error : null;
      if (refusal === null && !isDisconnect(error)) {
        onFault(error);
      }
      sendError(request, response, refusal ?? new S3Error('InternalError', 'The server failed.'));
    });
  });
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

function sendError(request: IncomingMessage, response: ServerResponse, error: S3Error): void {
  if (response.headersSent) {
    response.destroy();
  } else if (request.method === 'HEAD') {
    response.writeHead(error.status).end();
  } else {
    sendXml(response, error.status, 'Error', { Code: error.code, Message: error.message });
  }
}

async function handle(
  store: FileStore,
  keys: S3Keys,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { bucket, key, query } = parseTarget(request.url ?? '');
  checkSignature(request, query, keys);
  if (bucket === '') {
    throw new S3Error('NotImplemented', 'This server lists no buckets.');
  }
  const method = request.method ?? '';
  if (key === '' && method === 'PUT' && onlyKnown(query, [])) {
    await makeBucket(store, bucket, response);
    return;
  }
  if (!(await store.hasBucket(bucket))) {
    throw new S3Error('NoSuchBucket', 'The bucket does not exist.');
  }
  await (key === ''
    ? handleBucket(store, bucket, query, request, response)
    : handleObject({ store, bucket, key, request, response }, query));
}

async function makeBucket(store: FileStore, bucket: string, response: ServerResponse): Promise<void> {
  if (await store.hasBucket(bucket)) {
    throw new S3Error('BucketAlreadyOwnedByYou', 'The bucket exists.');
  }
  await store.makeBucket(bucket);
  response.writeHead(200, { location: `/${bucket}`, 'content-length': 0 }).end();
}

const LIST_PARAMETERS = [
  'list-type',
  'prefix',
  'delimiter',
  'marker',
  'start-after',
  'max-keys',
  'encoding-type',
  'fetch-owner',
  'continuation-token',
];

async function handleBucket(
  store: FileStore,
  bucket: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  if (method === 'GET' && query.has('location')) {
    sendLocation(response);
  } else if (method === 'GET' && onlyKnown(query, LIST_PARAMETERS)) {
    await listObjects(store, bucket, query, response);
  } else if (method === 'POST' && query.has('delete')) {
    await removeObjects(store, bucket, request, response);
  } else if (method === 'HEAD') {
    response.writeHead(200).end();
  } else {
    throw new S3Error(
      'MethodNotAllowed',
      'This server makes and lists buckets, and does nothing else with them.',
    );
  }
}

async function handleObject(object: ObjectRequest, query: URLSearchParams): Promise<void> {
  const { store, bucket, key, request, response } = object;
  if ('x-amz-copy-source' in request.headers || !onlyKnown(query, [])) {
    throw new S3Error('NotImplemented', 'This server keeps whole objects only: no copies, parts or tags.');
  }
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') {
    await getObject(object);
  } else if (method === 'PUT') {
    await putObject(object);
  } else if (method === 'DELETE') {
    await store.remove(bucket, key);
    response.writeHead(204).end();
  } else {
    throw new S3Error('MethodNotAllowed', 'An object can be put, read and deleted.');
  }
}

/** True if the query has these parameters only, beside a signature and the name that newer clients add for their logs. */
function onlyKnown(query: URLSearchParams, names: readonly string[]): boolean {
  return [...query.keys()].every(
    (name) => name.startsWith('X-Amz-') || name === 'x-id' || names.includes(name),
  );
}

/** Splits a request target into bucket, key and query. No dots are resolved: they are part of the key. */
function parseTarget(target: string): { bucket: string; key: string; query: URLSearchParams } {
  const [, name, path = '', search] = /^\/([^/?#]*)(?:\/([^?#]*))?(?:\?(.*))?$/s.exec(target) ?? [];
  if (name === undefined || (name === '' && path !== '')) {
    throw new S3Error('InvalidURI', 'The address names no bucket.');
  }
  if (name !== '' && !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(name)) {
    throw new S3Error('InvalidBucketName', 'The name of the bucket is not valid.');
  }
  try {
    return { bucket: name, key: decodeURIComponent(path), query: new URLSearchParams(search) };
  } catch {
    throw new S3Error('InvalidURI', 'The key is not encoded as UTF-8.');
  }
}
