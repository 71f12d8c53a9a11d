import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { S3Error } from './s3-error.js';

/** Description of an object, kept behind its bytes in its file. */
export interface ObjectHead {
  readonly bytes: number;
  readonly md5: string;
  /** Header names in lower case: the content type and what the user added. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Object that is open for reading. */
export interface OpenObject {
  readonly file: FileHandle;
  readonly head: ObjectHead;
  readonly modified: Date;
}

const MAGIC = Buffer.from('igw-obj1');
const TAIL_BYTES = 4 + MAGIC.length;
/** A head is not longer: Node accepts 16 KiB of headers. */
const MAX_HEAD_BYTES = 64 * 1024;

/** Opens a complete object for reading; null when there is none, or an incomplete one. */
export async function openObject(name: string): Promise<OpenObject | null> {
  const file = await open(name, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (file === null) {
    return null;
  }
  const { size, mtime } = await file.stat();
  const length = Math.min(size, MAX_HEAD_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const head = parseHead(buffer, size);
  if (head === null) {
    await file.close();
    return null;
  }
  return { file, head, modified: mtime };
}

/** Reads the end of an object file: head, its length, magic. A file without it is incomplete. */
function parseHead(end: Buffer, size: number): ObjectHead | null {
  if (end.length < TAIL_BYTES || !end.subarray(-MAGIC.length).equals(MAGIC)) {
    return null;
  }
  const length = end.readUInt32BE(end.length - TAIL_BYTES) + TAIL_BYTES;
  if (length > end.length) {
    return null;
  }
  const head = JSON.parse(end.subarray(-length, -TAIL_BYTES).toString()) as ObjectHead;
  return head.bytes + length === size ? head : null;
}

/** Size and digests that the request declares for its body; each is checked where it is given. */
export interface Declared {
  readonly bytes?: number | undefined;
  /** Hexadecimal. */
  readonly sha256?: string | undefined;
  /** Base64. */
  readonly md5?: string | undefined;
}

/** Object that was received but has no key yet. */
export interface Received {
  /** File outside the buckets. */
  readonly path: string;
  readonly head: ObjectHead;
}

/**
 * Writes a body to a file of its own, with everything that makes it a complete object, and flushes it when `durable`.
 * A truncated body, or one that differs from its declaration, leaves no file.
 */
export async function receiveObject(
  content: AsyncIterable<Buffer>,
  options: { folder: string; headers: Record<string, string>; declared: Declared; durable: boolean },
): Promise<Received> {
  const { folder, headers, declared, durable } = options;
  const temporary = path.join(folder, randomUUID());
  const file = await open(temporary, 'wx', 0o600);
  try {
    const md5 = createHash('md5');
    const sha256 = declared.sha256 === undefined ? null : createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      md5.update(chunk);
      sha256?.update(chunk);
      bytes += chunk.length;
      await file.writev([chunk]);
    }
    const digest = md5.digest();
    if ((declared.bytes ?? bytes) !== bytes) {
      throw new S3Error('IncompleteBody', 'The body is shorter or longer than declared.');
    }
    if (declared.md5 !== undefined && declared.md5 !== digest.toString('base64')) {
      throw new S3Error('BadDigest', 'The body does not match its Content-MD5.');
    }
    if (sha256?.digest('hex') !== declared.sha256?.toLowerCase()) {
      throw new S3Error('BadDigest', 'The body does not match its x-amz-content-sha256.');
    }
    const head: ObjectHead = { bytes, md5: digest.toString('hex'), headers };
    const json = Buffer.from(JSON.stringify(head));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.length);
    await file.writev([json, length, MAGIC]);
    if (durable) {
      await file.datasync();
    }
    await file.close();
    return { path: temporary, head };
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
