import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import type { FileStore } from './create-file-store.js';
import { readDeclared } from './handle-object.js';
import { S3Error } from './s3-error.js';

const MAX_DELETE_BYTES = 2 * 1024 ** 2;
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true });
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Object',
});

/** Sends an element as an XML document. */
export function sendXml(response: ServerResponse, status: number, name: string, content: object): void {
  const xml = builder.build({ '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' }, [name]: content });
  response
    .writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(xml) })
    .end(xml);
}

/** Sends where the bucket is: nowhere, which means us-east-1. */
export function sendLocation(response: ServerResponse): void {
  sendXml(response, 200, 'LocationConstraint', { '@_xmlns': NAMESPACE });
}

/** Sends all keys with a prefix on one page, whatever page size the request asks for. */
export async function listObjects(
  store: FileStore,
  bucket: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const get = (name: string) => query.get(name) ?? '';
  const [prefix, delimiter] = [get('prefix'), get('delimiter')];
  const after = Buffer.from(get('start-after') || get('marker'));
  const encode = (key: string) =>
    get('encoding-type') === 'url' ? key.split('/').map(encodeURIComponent).join('/') : key;
  const contents: object[] = [];
  const commonPrefixes = new Set<string>();
  for await (const key of store.keys(bucket, prefix)) {
    if (after.length > 0 && Buffer.compare(Buffer.from(key), after) <= 0) {
      continue;
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (cut >= 0) {
      commonPrefixes.add(encode(key.slice(0, cut + delimiter.length)));
      continue;
    }
    const found = await store.open(bucket, key);
    await found?.file.close();
    if (found) {
      contents.push({
        Key: encode(key),
        LastModified: found.modified.toISOString(),
        ETag: `"${found.head.md5}"`,
        Size: found.head.bytes,
        StorageClass: 'STANDARD',
      });
    }
  }
  sendXml(response, 200, 'ListBucketResult', {
    '@_xmlns': NAMESPACE,
    Name: bucket,
    Prefix: encode(prefix),
    KeyCount: contents.length + commonPrefixes.size,
    MaxKeys: 1000,
    IsTruncated: false,
    Contents: contents,
    CommonPrefixes: [...commonPrefixes].map((each) => ({ Prefix: each })),
  });
}

/** Removes the objects that the body names; a key without an object is no error. */
export async function removeObjects(
  store: FileStore,
  bucket: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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
  if (sha256 !== undefined && createHash('sha256').update(body).digest('hex') !== sha256.toLowerCase()) {
    throw new S3Error('BadDigest', 'The body does not match its x-amz-content-sha256.');
  }
  return body.toString();
}
