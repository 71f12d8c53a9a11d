import type { Readable } from 'node:stream';

/** Properties of one stored object. */
export interface ObjectInfo {
  /** Size of the whole object, also for a request of a range. */
  readonly bytes: number;
  readonly contentType: string;
  /** Without quotes. */
  readonly etag: string;
  /** The user's own metadata, names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly lastModified: Date;
}

/** A part of an object, both ends included, counted from 0; it must lie within the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Content type and metadata of an object. Names and values of metadata are ASCII. */
export interface PutOptions {
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * One private bucket. Every method ends within the store's time limit. It throws nothing but StorageError for a server
 * that is unreachable, hangs, refuses or sends an invalid response.
 */
export interface ObjectStore {
  /**
   * Stores an object unless the key is taken: the first writer wins. The result `exists` may also mean that this very
   * call was the first writer and its response was lost. The caller therefore reads the stored object.
   */
  put(key: string, body: Buffer, options: PutOptions): Promise<'stored' | 'exists'>;
  /** Stores an object and overwrites an existing one. */
  replace(key: string, body: Buffer, options: PutOptions): Promise<void>;
  stat(key: string): Promise<ObjectInfo | null>;
  /** Returns the whole object; more than `maxBytes` (64 MiB by default) is an error that is not retryable. */
  read(key: string, maxBytes?: number): Promise<Buffer | null>;
  /**
   * Returns the object as it arrives. The time limit counts to the first byte and then between requested bytes, so a
   * slow reader is no fault of the store. The caller reads the body to its end or destroys it.
   */
  stream(key: string, range?: ByteRange): Promise<{ body: Readable; info: ObjectInfo } | null>;
  /** Returns all keys that begin with the prefix, in the order of their UTF-8 bytes. */
  list(prefix: string): Promise<string[]>;
  /** Removes the objects of these keys; a key without an object is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Creates the bucket unless it exists. */
  ensureBucket(): Promise<void>;
  /** Throws, after 2 s at most, unless the bucket exists and the credentials are right. */
  ping(): Promise<void>;
  /** Ends the idle connections. */
  close(): void;
}
