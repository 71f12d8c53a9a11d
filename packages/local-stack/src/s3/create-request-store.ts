import { Readable } from 'node:stream';
import type { Context } from 's3rver';
import S3Error from 's3rver/lib/models/error.js';
import type { FileStore } from './create-file-store.js';
import type { OpenObject } from './object-file.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

interface IncomingObject {
  readonly bucket: string;
  readonly key: string;
  readonly content: AsyncIterable<Buffer> & { destroy(error?: Error): void };
  readonly metadata: Record<string, string>;
}

/** Methods that the controllers of s3rver call on their store. */
export interface RequestStore {
  readonly getBucket: (name: string) => Promise<object | null>;
  readonly listBuckets: () => Promise<object[]>;
  readonly putBucket: (name: string) => Promise<void>;
  readonly deleteBucket: (name: string) => Promise<void>;
  readonly existsObject: (bucket: string, key: string) => Promise<boolean>;
  readonly getObject: (bucket: string, key: string, options?: Partial<Range>) => Promise<object | null>;
  putObject(object: IncomingObject): Promise<{ size: number; md5: string }>;
  readonly deleteObject: (bucket: string, key: string) => Promise<void>;
  listObjects(
    bucket: string,
    options: { prefix?: string; startAfter?: string; delimiter?: string },
  ): Promise<object>;
  readonly getSubresource: () => Promise<null>;
}

/** Creates the store of one request, which requires a valid signature and applies the conditions of the headers. */
export function createRequestStore(store: FileStore, ctx: Context): RequestStore {
  const needAccount = () => {
    if (ctx.state.account === undefined) {
      throw new S3Error('AccessDenied', 'The request is not signed.');
    }
  };
  return {
    // Called before the signature is verified; reveals only that a bucket exists.
    getBucket: (name) => store.bucket(name),
    // No website, no CORS rules, no tags.
    getSubresource: () => Promise.resolve(null),

    async listBuckets() {
      needAccount();
      return store.buckets();
    },
    async putBucket(name) {
      needAccount();
      await store.makeBucket(name);
    },
    async deleteBucket(name) {
      needAccount();
      await store.removeBucket(name);
    },
    async existsObject(bucket, key) {
      needAccount();
      const found = await store.open(bucket, key);
      await found?.file.close();
      return found !== null;
    },
    async deleteObject(bucket, key) {
      needAccount();
      await store.remove(bucket, key);
    },

    async getObject(bucket, key, options = {}) {
      needAccount();
      const found = await store.open(bucket, key);
      if (found === null) {
        return null;
      }
      const { bytes } = found.head;
      const object = { key, size: bytes, ...presentMetadata(found) };
      const range = resolveRange(options, ctx.headers.range, bytes);
      if (range.start <= range.end) {
        const content = found.file.createReadStream(range);
        return { ...object, content, ...(options.start === undefined ? {} : { range }) };
      }
      await found.file.close();
      // Without content s3rver responds with an unsatisfiable range.
      return options.start === undefined ? { ...object, content: Readable.from([]) } : { ...object, range };
    },

    async putObject({ bucket, key, content, metadata }) {
      needAccount();
      // The decoder of the body does not notice a disconnect of the client.
      ctx.req.once('close', () => {
        if (!ctx.req.complete) {
          content.destroy(new Error('the client disconnected'));
        }
      });
      const { 'content-length': length, 'content-md5': md5, 'x-amz-content-sha256': sha256 } = ctx.headers;
      const decoded = ctx.headers['x-amz-decoded-content-length'];
      return store.put({
        bucket,
        key,
        content,
        headers: metadata,
        declared: {
          ...(length === undefined ? {} : { bytes: Number(decoded ?? length) }),
          ...(md5 === undefined ? {} : { md5 }),
          ...(/^[0-9a-f]{64}$/i.test(sha256 ?? '') ? { sha256: sha256 as string } : {}),
        },
        onlyNew: ctx.headers['if-none-match'] === '*',
      });
    },

    async listObjects(bucket, { prefix = '', startAfter = '', delimiter = '' }) {
      needAccount();
      const objects: object[] = [];
      const commonPrefixes = new Set<string>();
      const encode = (key: string) => (ctx.query['encoding-type'] === 'url' ? encodeKey(key) : key);
      for await (const key of store.keys(bucket, prefix)) {
        if (startAfter !== '' && Buffer.compare(Buffer.from(key), Buffer.from(startAfter)) <= 0) {
          continue;
        }
        const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
        if (cut >= 0) {
          commonPrefixes.add(encode(key.slice(0, cut + delimiter.length)));
        } else {
          const found = await store.open(bucket, key);
          await found?.file.close();
          if (found) {
            objects.push({ key: encode(key), size: found.head.bytes, ...presentMetadata(found) });
          }
        }
      }
      // One page: the page token of s3rver needs a cipher (DES) that Node no longer has.
      return { objects, commonPrefixes: [...commonPrefixes], isTruncated: false };
    },
  };
}

function presentMetadata({ head, modified }: OpenObject) {
  const metadata = {
    'content-type': 'binary/octet-stream',
    ...head.headers,
    etag: `"${head.md5}"`,
    'last-modified': modified.toUTCString(),
    'content-length': String(head.bytes),
  };
  return { metadata, lastModifiedDate: modified };
}

function resolveRange(
  { start = 0, end = Infinity }: Partial<Range>,
  header: string | undefined,
  bytes: number,
): Range {
  // The range "last n bytes" is parsed as the first ones by s3rver.
  const last = /^bytes=-(\d+)$/.exec(header ?? '')?.[1];
  if (last !== undefined) {
    return { start: Math.max(0, bytes - Number(last)), end: bytes - 1 };
  }
  return { start, end: Math.min(end, bytes - 1) };
}

function encodeKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}
