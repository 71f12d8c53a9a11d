import type { Readable } from 'node:stream';
import type { Finding } from './finding.js';

/** What a store knows of one object. */
export interface ObjectInfo {
  /** Size of the whole object, also where only a part of it was asked for. */
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

/** What is put beside the bytes. Names and values of metadata are ASCII. */
export interface PutOptions {
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * One private bucket. Every method ends within the store's time limit and throws nothing but StorageError for a server
 * that is away, hangs, refuses or answers nonsense.
 */
export interface ObjectStore {
  /**
   * Stores an object unless the key is taken: the first writer wins. `exists` may also mean that this very call was the
   * first writer and the answer to it got lost, so whoever gets it looks at what is stored.
   */
  put(key: string, body: Buffer, options: PutOptions): Promise<'stored' | 'exists'>;
  /** Stores an object whatever is there. */
  replace(key: string, body: Buffer, options: PutOptions): Promise<void>;
  stat(key: string): Promise<ObjectInfo | null>;
  /** The whole object; one of more than `maxBytes` (64 MiB unless told) is an error that no repetition mends. */
  read(key: string, maxBytes?: number): Promise<Buffer | null>;
  /**
   * The object as it arrives. The time limit counts to the first byte and then between bytes that were asked for, so a
   * slow reader is no fault of the store. Whoever gets the body reads it to its end or destroys it.
   */
  stream(key: string, range?: ByteRange): Promise<{ body: Readable; info: ObjectInfo } | null>;
  /** All keys that begin with the prefix, in the order of their UTF-8 bytes. */
  list(prefix: string): Promise<string[]>;
  /** Removes what is there of these keys; the rest is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Makes the bucket unless it is there. */
  ensureBucket(): Promise<void>;
  /** Throws unless the bucket is there and the credentials fit, after 2 s at most. */
  ping(): Promise<void>;
  /**
   * Tries everything the gateway relies on, on two small objects under `doctor/`, and never throws.
   * `publicRead`: pictures are served straight from the bucket, so unsigned reads are as they should be.
   */
  probe(options?: { publicRead?: boolean }): Promise<Finding[]>;
  /** Ends the idle connections. */
  close(): void;
}
