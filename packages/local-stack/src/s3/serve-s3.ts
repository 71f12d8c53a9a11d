import { hash } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { checkSignature, type S3Keys } from './check-signature.js';
import { createFileStore, type FileStore } from './create-file-store.js';
import type { Declared } from './object-file.js';
import { S3Error } from './s3-error.js';
import { nameServer } from './server-commands.js';

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

const DISCONNECTS = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED'];

/** Serves one private object store on 127.0.0.1: the part of the S3 protocol that keeps whole objects. */
export async function serveS3(options: S3ServerOptions): Promise<S3Server> {
  const { folder, port, bucket, durable, onFault } = options;
  const store = await createFileStore({ folder, durable });
  await store.makeBucket(bucket);
  const name = nameServer(options.accessKey);
  const server = http.createServer((request, response) => {
    response.setHeader('server', name);
    handle(store, options, request, response).catch((error: NodeJS.ErrnoException) => {
      if (!(error instanceof S3Error) && !DISCONNECTS.includes(String(error.code))) {
        onFault(error);
      }
      const isRefusal = error instanceof S3Error;
      sendError(request, response, isRefusal ? error : new S3Error('InternalError', 'The server failed.'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const used = typeof address === 'object' ? address?.port : port;
  return {
    url: `http://127.0.0.1:${used}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Request whose signature is valid; its key is empty for the bucket itself. */
interface S3Request {
  readonly store: FileStore;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Operation = (call: S3Request) => Promise<void> | void;

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
  const operation = key === '' ? findBucketOperation(request, query) : findObjectOperation(request, query);
  if (operation !== makeBucket && !(await store.hasBucket(bucket))) {
    throw new S3Error('NoSuchBucket', 'The bucket does not exist.');
  }
  await operation({ store, bucket, key, query, request, response });
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

const LIST_PARAMETERS =
  'list-type prefix delimiter marker start-after max-keys encoding-type fetch-owner continuation-token'.split(
    ' ',
  );

/** True if the query has these parameters only, beside a signature and the name that newer clients add for their logs. */
const hasOnly = (query: URLSearchParams, names: readonly string[]) =>
  [...query.keys()].every((name) => /^(X-Amz-.*|x-id)$/.test(name) || names.includes(name));

function findBucketOperation({ method }: IncomingMessage, query: URLSearchParams): Operation {
  if (method === 'GET' && query.has('location')) {
    return sendLocation;
  }
  if (method === 'GET' && hasOnly(query, LIST_PARAMETERS)) {
    return listObjects;
  }
  if (method === 'POST' && query.has('delete')) {
    return removeObjects;
  }
  if (method === 'PUT' && hasOnly(query, [])) {
    return makeBucket;
  }
  if (method === 'HEAD') {
    return ({ response }) => void response.end();
  }
  const message = 'This server makes and lists buckets, and does nothing else with them.';
  throw new S3Error('MethodNotAllowed', message);
}

function findObjectOperation({ method = '', headers }: IncomingMessage, query: URLSearchParams): Operation {
  if ('x-amz-copy-source' in headers || !hasOnly(query, [])) {
    throw new S3Error('NotImplemented', 'This server keeps whole objects only: no copies, parts or tags.');
  }
  const operations: Readonly<Record<string, Operation>> = {
    GET: getObject,
    HEAD: getObject,
    PUT: putObject,
    DELETE: removeObject,
  };
  const operation = operations[method];
  if (operation === undefined) {
    throw new S3Error('MethodNotAllowed', 'An object can be put, read and deleted.');
  }
  return operation;
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true });

function sendXml(response: ServerResponse, status: number, name: string, content: object): void {
  const xml = builder.build({ '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' }, [name]: content });
  const headers = { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(xml) };
  response.writeHead(status, headers).end(xml);
}

function sendError({ method }: IncomingMessage, response: ServerResponse, error: S3Error): void {
  if (response.headersSent) {
    response.destroy();
  } else if (method === 'HEAD') {
    response.writeHead(error.status).end();
  } else {
    sendXml(response, error.status, 'Error', { Code: error.code, Message: error.message });
  }
}

/** Sends where the bucket is: nowhere, which means us-east-1. */
function sendLocation({ response }: S3Request): void {
  sendXml(response, 200, 'LocationConstraint', { '@_xmlns': NAMESPACE });
}

async function makeBucket({ store, bucket, response }: S3Request): Promise<void> {
  if (await store.hasBucket(bucket)) {
    throw new S3Error('BucketAlreadyOwnedByYou', 'The bucket exists.');
  }
  await store.makeBucket(bucket);
  response.writeHead(200, { location: `/${bucket}`, 'content-length': 0 }).end();
}

/** Sends all keys with a prefix on one page, whatever page size the request asks for. */
async function listObjects({ store, bucket, query, response }: S3Request): Promise<void> {
  const get = (name: string) => query.get(name) ?? '';
  const [prefix, delimiter] = [get('prefix'), get('delimiter')];
  const after = Buffer.from(get('start-after') || get('marker'));
  const encode = (key: string) =>
    get('encoding-type') === 'url' ? key.split('/').map(encodeURIComponent).join('/') : key;
  const contents: object[] = [];
  const prefixes = new Set<string>();
  for await (const key of store.keys(bucket, prefix)) {
    if (after.length > 0 && Buffer.compare(Buffer.from(key), after) <= 0) {
      continue;
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (cut >= 0) {
      prefixes.add(encode(key.slice(0, cut + delimiter.length)));
      continue;
    }
    const found = await store.open(bucket, key);
    await found?.file.close();
    if (found) {
      const { head, modified } = found;
      const LastModified = modified.toISOString();
      const ETag = `"${head.md5}"`;
      contents.push({ Key: encode(key), LastModified, ETag, Size: head.bytes, StorageClass: 'STANDARD' });
    }
  }
  sendXml(response, 200, 'ListBucketResult', {
    '@_xmlns': NAMESPACE,
    Name: bucket,
    Prefix: encode(prefix),
    KeyCount: contents.length + prefixes.size,
    MaxKeys: 1000,
    IsTruncated: false,
    Contents: contents,
    CommonPrefixes: [...prefixes].map((each) => ({ Prefix: each })),
  });
}

const MAX_DELETE_BYTES = 2 * 1024 ** 2;
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Object',
});

/** Removes the objects that the body names; a key without an object is no error. */
async function removeObjects({ store, bucket, request, response }: S3Request): Promise<void> {
  const { Delete: wanted } = parser.parse(await readBody(request)) as {
    Delete?: { Quiet?: string; Object?: { Key?: unknown }[] };
  };
  const keys = wanted?.Object?.map(({ Key }) => Key);
  if (!keys?.every((key) => typeof key === 'string')) {
    throw new S3Error('MalformedXML', 'The body names no keys.');
  }
  for (const key of keys) {
    await store.remove(bucket, key);
  }
  const deleted = wanted?.Quiet === 'true' ? [] : keys.map((key) => ({ Key: key }));
  sendXml(response, 200, 'DeleteResult', { '@_xmlns': NAMESPACE, Deleted: deleted });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_DELETE_BYTES) {
      throw new S3Error('MalformedXML', 'The body is too long.');
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const { sha256 } = readDeclared(request.headers);
  if (sha256 !== undefined && hash('sha256', body) !== sha256.toLowerCase()) {
    throw new S3Error('BadDigest', 'The body does not match its x-amz-content-sha256.');
  }
  return body.toString();
}

/** Request headers that come back with the object, the user's own metadata among them. */
const KEPT_HEADERS = /^(cache-control|content-(disposition|encoding|language|type)|expires|x-amz-meta-.*)$/;

async function putObject({ store, bucket, key, request, response }: S3Request): Promise<void> {
  const { headers } = request;
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
  const { md5 } = await store.put({
    bucket,
    key,
    content: request,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    declared: readDeclared(headers),
    onlyNew: headers['if-none-match'] === '*',
  });
  response.writeHead(200, { etag: `"${md5}"`, 'content-length': 0 }).end();
}

/** Reads what a request declares about its body; an encoding that has to be undone is refused. */
function readDeclared(headers: IncomingMessage['headers']): Declared {
  const { 'content-length': length, 'content-md5': md5, 'x-amz-content-sha256': sha256 } = headers;
  if (String(sha256).startsWith('STREAMING-')) {
    throw new S3Error('NotImplemented', 'This server takes bodies as they are, not in signed chunks.');
  }
  return {
    bytes: length === undefined ? undefined : Number(length),
    md5: md5?.toString(),
    sha256: /^[0-9a-f]{64}$/i.exec(String(sha256))?.[0],
  };
}

/** Sends an object, or the part of it that the request names; no body for HEAD. */
async function getObject({ store, bucket, key, request, response }: S3Request): Promise<void> {
  const found = await store.open(bucket, key);
  if (found === null) {
    throw new S3Error('NoSuchKey', 'There is no object with this key.');
  }
  const { file, head, modified } = found;
  try {
    const range = readRange(request.headers.range, head.bytes);
    const { start, end } = range ?? { start: 0, end: head.bytes - 1 };
    response.writeHead(range ? 206 : 200, {
      'content-type': 'binary/octet-stream',
      ...head.headers,
      'accept-ranges': 'bytes',
      etag: `"${head.md5}"`,
      'last-modified': modified.toUTCString(),
      'content-length': end - start + 1,
      ...(range && { 'content-range': `bytes ${start}-${end}/${head.bytes}` }),
    });
    if (request.method === 'HEAD' || end < start) {
      response.end();
    } else {
      await pipeline(file.createReadStream({ start, end, autoClose: false }), response);
    }
  } finally {
    await file.close();
  }
}

/** Reads a range of bytes; null for none and, as HTTP wants it, for one that is malformed. */
function readRange(header: string | undefined, bytes: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') {
    return null;
  }
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start > end) {
    throw new S3Error('InvalidRange', 'The range is outside of the object.');
  }
  return { start, end };
}

async function removeObject({ store, bucket, key, response }: S3Request): Promise<void> {
  await store.remove(bucket, key);
  response.writeHead(204).end();
}
